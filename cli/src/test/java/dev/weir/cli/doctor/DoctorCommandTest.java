package dev.weir.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandLines;
import dev.weir.lab.report.JsonLines;
import dev.weir.objects.s3.S3ObjectStore;
import dev.weir.objects.s3.S3Options;
import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.StreamStore;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import dev.weir.streams.recovery.StoreProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command says of sound and damaged places, how it exits, and that it changes nothing. */
class DoctorCommandTest {
  private static final String SEGMENT = "seg/0/1";

  @TempDir Path folder;

  @BeforeEach
  void nameCredentials() {
    System.setProperty("aws.accessKeyId", "key");
    System.setProperty("aws.secretAccessKey", "secret");
  }

  @AfterEach
  void forgetCredentials() {
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
  }

  @Test
  void aSoundStoreIsCleanAndStaysAsItIs() throws IOException {
    writeStore(DirectoryObjectStore.open(folder));
    Map<String, String> before = contents();
    CommandLines.Ended ended = CommandLines.run("doctor", folder.toString());
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.out())
        .contains("epoch 1: 2 streams, 1 segments")
        .endsWith("no damage was found\n");
    assertThat(ended.err()).isEmpty();
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void aFlippedByteIsNamedWithObjectOffsetAndStream() throws IOException {
    writeStore(DirectoryObjectStore.open(folder));
    Path segment = segment();
    flip(segment, 0);
    CommandLines.Ended ended = CommandLines.run("doctor", folder.toString());
    assertThat(ended.exitCode()).isEqualTo(DoctorCommand.DAMAGED);
    assertThat(ended.out())
        .contains("damaged: " + folder.relativize(segment) + " at byte 0: the checksum")
        .contains("  cannot be read there: a, b\n")
        .contains("1 damage was found");
  }

  @Test
  void theJsonHasEachDamage() throws IOException {
    writeStore(DirectoryObjectStore.open(folder.resolve("objects")));
    flip(folder.resolve("objects/owner"), 20);
    CommandLines.Ended ended = CommandLines.run("doctor", folder.toString(), "--json");
    assertThat(ended.exitCode()).isEqualTo(DoctorCommand.DAMAGED);
    Map<String, Object> fields = JsonLines.parse(ended.out());
    assertThat(fields).containsEntry("outcome", "damaged").containsEntry("streams", 2);
    assertThat((List<?>) fields.get("damages"))
        .singleElement()
        .satisfies(damage ->
            assertThat((Map<?, ?>) damage).extracting("object").isEqualTo("objects/owner"));
  }

  @Test
  void theWalOfADataDirectoryIsExamined() throws IOException {
    StreamStore.open(folder, new LocalDisk(), System::currentTimeMillis).close();
    CommandLines.Ended sound = CommandLines.run("doctor", folder.toString());
    assertThat(sound.exitCode()).isZero();
    assertThat(sound.out()).contains("the WAL: ");
    Path journal = files().filter(DoctorCommandTest::isJournal).findAny().get();
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, new byte[2 * bytes.length]);
    CommandLines.Ended damaged = CommandLines.run("doctor", folder.toString());
    assertThat(damaged.exitCode()).isEqualTo(DoctorCommand.DAMAGED);
    assertThat(damaged.out()).contains("damaged: " + folder.relativize(journal));
  }

  private static boolean isJournal(Path file) {
    return file.getFileName().toString().matches("[0-9a-f]{16}\\.(journal|wal)");
  }

  @Test
  void aBucketIsExaminedWithoutAnyWrite() throws IOException {
    try (FakeS3 service = new FakeS3()) {
      S3Options options =
          S3Options.of(URI.create("s3://bucket/some/prefix"))
              .withEndpoint(service.endpoint())
              .withCredentials("key", "secret");
      writeStore(S3ObjectStore.openForReading(options));
      int seen = service.seen().size();
      CommandLines.Ended ended = runOn(service, "s3://bucket/some/prefix");
      assertThat(ended.exitCode()).as(ended.err()).isZero();
      assertThat(ended.out()).contains("2 streams, 1 segments");
      assertThat(service.seen().stream().skip(seen).map(FakeS3.Seen::method))
          .isNotEmpty()
          .allMatch(method -> method.equals("GET") || method.equals("HEAD"));
      CommandLines.Ended elsewhere = runOn(service, "s3://bucket/other");
      assertThat(elsewhere.exitCode()).isEqualTo(1);
      assertThat(elsewhere.err()).contains("there is nothing of a node in s3://bucket/other");
    }
  }

  @Test
  void whereNothingIsOrAnswersItExitsWithOne() throws IOException {
    CommandLines.Ended missing = CommandLines.run("doctor", folder.resolve("x").toString());
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("there is no directory").hasLineCount(1);
    CommandLines.Ended empty = CommandLines.run("doctor", folder.toString());
    assertThat(empty.exitCode()).isEqualTo(1);
    assertThat(empty.err()).contains("there is nothing of a node").hasLineCount(1);
    URI gone;
    try (FakeS3 service = new FakeS3()) {
      gone = service.endpoint();
    }
    CommandLines.Ended away =
        CommandLines.run("doctor", "s3://bucket", "--s3-endpoint", gone.toString());
    assertThat(away.exitCode()).isEqualTo(1);
    assertThat(away.err()).startsWith("weir doctor: ").contains("bucket");
  }

  @Test
  void aWrongPlaceIsNamed() {
    assertWrong("s3:bucket", "doctor", "s3:bucket");
    assertWrong("--s3-endpoint", "doctor", "here", "--s3-endpoint", "http://127.0.0.1:1");
    assertWrong("no host", "doctor", "s3://bucket", "--s3-endpoint", "here");
  }

  private static void assertWrong(String expected, String... arguments) {
    CommandLines.Ended ended = CommandLines.run(arguments);
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.err()).contains(expected).hasLineCount(1);
  }

  private static CommandLines.Ended runOn(FakeS3 service, String place) {
    return CommandLines.run("doctor", place, "--s3-endpoint", service.endpoint().toString());
  }

  private static void writeStore(ObjectStore store) throws IOException {
    try (store) {
      StoreProcess process = new StoreProcess(store);
      StreamHeader a = process.create("a");
      StreamHeader b = process.create("b");
      process.append(a, 0, "of a");
      process.append(b, 0, "of b");
      process.flush();
    }
  }

  private static void flip(Path file, int position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[position] ^= 0x10;
    Files.write(file, bytes);
  }

  private Path segment() throws IOException {
    return files().filter(file -> file.toString().contains(SEGMENT)).findAny().get();
  }

  private Stream<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList().stream();
    }
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (Path file : files().toList()) {
      contents.put(
          file.toString(),
          Files.getLastModifiedTime(file) + " " + Arrays.hashCode(Files.readAllBytes(file)));
    }
    return contents;
  }
}
