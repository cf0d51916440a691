package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.FaultyObjectStore;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import dev.weir.streams.testing.MapStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash leaves behind: every cut of the WAL, and files that nobody finished. */
class CrashRecoveryTest {
  @TempDir Path temporary;
  private Path directory;

  @BeforeEach
  void name() {
    directory = temporary.resolve("data");
  }

  @Test
  void aJournalCutAtAnyByteKeepsEveryFrameBeforeTheCut() throws IOException {
    long headerBytes;
    long[] frameEnds = new long[4];
    try (StoreFixture fixture = new StoreFixture(directory)) {
      headerBytes = journalBytes(directory);
      fixture.create("a");
      frameEnds[0] = journalBytes(directory);
      for (int i = 1; i < frameEnds.length; i++) {
        fixture.append("a", "part" + i + " ");
        frameEnds[i] = journalBytes(directory);
      }
      fixture.kill();
    }
    for (long cut = headerBytes; cut <= frameEnds[3]; cut++) {
      Path copy = temporary.resolve("cut" + cut);
      StoreFixture.copy(directory, copy);
      truncate(journal(copy), cut);
      StoreOptions quick = inMemory();
      try (StoreFixture fixture = new StoreFixture(copy, quick)) {
        checkCut(fixture, cut, frameEnds);
      }
      try (StoreFixture fixture = new StoreFixture(copy, quick)) {
        checkCut(fixture, cut, frameEnds);
        if (cut >= frameEnds[0]) {
          fixture.append("a", "more");
          assertThat(fixture.read("a")).endsWith("more");
        }
      }
    }
  }

  /** An empty object store, as nothing was flushed. */
  private static StoreOptions inMemory() {
    MapStore objects = new MapStore();
    return StoreOptions.embedded().in(embedded -> objects);
  }

  private static void checkCut(StoreFixture fixture, long cut, long[] frameEnds) {
    if (cut < frameEnds[0]) {
      assertThat(fixture.store.find("a")).isNull();
      return;
    }
    StringBuilder expected = new StringBuilder();
    for (int i = 1; i < frameEnds.length; i++) {
      if (cut >= frameEnds[i]) {
        expected.append("part").append(i).append(' ');
      }
    }
    assertThat(fixture.read("a")).isEqualTo(expected.toString());
  }

  @Test
  void aFlippedByteInTheLastFrameCutsItOffAfterAKill() throws IOException {
    long before;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "kept");
      before = journalBytes(directory);
      fixture.append("a", "lost");
      fixture.kill();
    }
    long after = journalBytes(directory);
    for (long position = before; position < after; position++) {
      Path copy = temporary.resolve("flip" + position);
      StoreFixture.copy(directory, copy);
      flip(journal(copy), position);
      try (StoreFixture fixture = new StoreFixture(copy, inMemory())) {
        assertThat(fixture.read("a")).isEqualTo("kept");
      }
    }
  }

  /** Its end mark says that all before it was whole. */
  @Test
  void aFlippedByteInTheLastFrameIsDamageAfterACleanStop() throws IOException {
    long before;
    long after;
    List<FaultyObjectStore> stores = new ArrayList<>();
    StoreOptions away =
        StoreOptions.embedded()
            .in(embedded -> {
              stores.add(new FaultyObjectStore(DirectoryObjectStore.open(embedded), /* seed= */ 1));
              return stores.getFirst();
            });
    try (StoreFixture fixture = new StoreFixture(directory, away)) {
      fixture.create("a");
      before = journalBytes(directory);
      fixture.append("a", "acknowledged");
      after = journalBytes(directory);
      stores.getFirst().gone(true);
    }
    byte[] whole = Files.readAllBytes(journal(directory));
    for (long position = before; position < after; position++) {
      flip(journal(directory), position);
      assertThatThrownBy(() -> new StoreFixture(directory).close())
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining(journal(directory) + " is damaged at byte ");
      Files.write(journal(directory), whole);
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged");
    }
  }

  @Test
  void aSpoolFileThatIsMissingOrShortIsDamageAndSaysSo() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("body".getBytes()));
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      fixture.kill();
    }
    Path body = StoreFixture.spoolFiles(directory).getFirst();
    truncate(body, 3);
    assertThatThrownBy(() -> new StoreFixture(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("has 3 bytes, but stream a has 4");
    Files.delete(body);
    assertThatThrownBy(() -> new StoreFixture(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("missing")
        .hasMessageContaining("stream a");
  }

  @Test
  void aSpoolFileThatNoStreamNeedsIsDeleted() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool unfinished = fixture.store.spool();
      unfinished.write(ByteBuffer.wrap("half a body".getBytes()));
    }
    assertThat(StoreFixture.spoolFiles(directory)).hasSize(1);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEmpty();
      assertThat(StoreFixture.spoolFiles(directory)).isEmpty();
    }
  }

  @Test
  void whatIsFlushedIsNotInTheWalAnyMore() throws IOException {
    StoreLayout layout = new StoreLayout(directory);
    AppendRequest byProducer =
        new AppendRequest("a", "text/plain", false, "7", new ProducerTag("p", 1, 0));
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "before ");
      fixture.append(byProducer, fixture.inline("p "));
      fixture.create("deleted");
      fixture.store.delete("deleted").join();
      fixture.store.flush().join();
      assertThat(layout.journal(1)).doesNotExist();
      assertThat(layout.journal(2)).exists();
      assertThat(fixture.read("a")).isEqualTo("before p ");
      fixture.append("a", "after");
      assertThat(fixture.read("a")).isEqualTo("before p after");
      fixture.kill();
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("before p after");
      assertThat(fixture.store.find("deleted")).isNull();
      assertThat(fixture.state("a").lastSequence()).isEqualTo("7");
      assertThat(fixture.append(byProducer, fixture.inline("p ")))
          .isEqualTo(new AppendOutcome.Duplicate(14, false, 1, 0));
    }
  }

  @Test
  void dataOfTheOldFormatIsRefusedInOneLine() throws IOException {
    Files.createDirectories(directory.resolve("journal"));
    assertThatThrownBy(() -> new StoreFixture(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("older format")
        .hasMessageContaining("--data");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aWalThatIsLostIsGivenUpOnlyOnDemand() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "flushed");
      fixture.store.flush().join();
      fixture.append("a", ", lost");
      fixture.kill();
    }
    StoreFixture.delete(new StoreLayout(directory).journalDirectory());
    assertThatThrownBy(() -> new StoreFixture(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("--without-wal");
    StoreOptions without = StoreOptions.embedded().owning("here", false, true);
    try (StoreFixture fixture = new StoreFixture(directory, without)) {
      assertThat(fixture.read("a")).isEqualTo("flushed");
      assertThat(fixture.store.epoch()).isEqualTo(2);
      fixture.append("a", ", found");
      fixture.kill();
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("flushed, found");
    }
  }

  private static Path journal(Path directory) {
    return new StoreLayout(directory).journal(1);
  }

  private static long journalBytes(Path directory) throws IOException {
    return Files.size(journal(directory));
  }

  private static void truncate(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }

  private static void flip(Path file, long position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) position] ^= 0x40;
    Files.write(file, bytes);
  }
}
