package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash leaves behind: every cut of the journal, and files that nobody finished. */
class CrashRecoveryTest {
  @TempDir Path directory;

  @Test
  void aJournalCutAtAnyByteKeepsEveryFrameBeforeTheCut() throws IOException {
    Path original = directory.resolve("original");
    long headerBytes;
    long[] frameEnds = new long[4];
    try (StoreFixture fixture = new StoreFixture(original)) {
      headerBytes = journalBytes(original);
      fixture.create("a");
      frameEnds[0] = journalBytes(original);
      for (int i = 1; i < frameEnds.length; i++) {
        fixture.append("a", "part" + i + " ");
        frameEnds[i] = journalBytes(original);
      }
    }
    for (long cut = headerBytes; cut <= frameEnds[3]; cut++) {
      Path copy = directory.resolve("cut" + cut);
      copy(original, copy);
      truncate(journal(copy), cut);
      try (StoreFixture fixture = new StoreFixture(copy)) {
        checkCut(fixture, cut, frameEnds);
      }
      try (StoreFixture fixture = new StoreFixture(copy)) {
        checkCut(fixture, cut, frameEnds);
        if (cut >= frameEnds[0]) {
          fixture.append("a", "more");
          assertThat(fixture.read("a")).endsWith("more");
        }
      }
    }
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
  void aFlippedByteInTheLastFrameCutsItOff() throws IOException {
    long before;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "kept");
      before = journalBytes(directory);
      fixture.append("a", "lost");
    }
    long after = journalBytes(directory);
    for (long position = before; position < after; position++) {
      Path copy = directory.resolveSibling(directory.getFileName() + "-flip" + position);
      copy(directory, copy);
      flip(journal(copy), position);
      try (StoreFixture fixture = new StoreFixture(copy)) {
        assertThat(fixture.read("a")).isEqualTo("kept");
      }
    }
  }

  @Test
  void bytesThatOnlyTheJournalHasAreWrittenToTheirSegmentAgain() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "from the journal");
    }
    try (Stream<Path> files = Files.walk(directory.resolve("bytes"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("from the journal");
    }
  }

  @Test
  void aSpooledSegmentThatIsMissingIsDamageAndSaysSo() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("body".getBytes()));
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
    }
    try (Stream<Path> files = Files.walk(directory.resolve("bytes"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    assertThatThrownBy(() -> new StoreFixture(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("missing")
        .hasMessageContaining("stream a");
  }

  @Test
  void aFileThatNoStreamNamesIsDeleted() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool unfinished = fixture.store.spool();
      unfinished.write(ByteBuffer.wrap("half a body".getBytes()));
    }
    assertThat(StoreFixture.segmentFiles(directory)).isEqualTo(1);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEmpty();
      assertThat(StoreFixture.segmentFiles(directory)).isZero();
    }
  }

  @Test
  void aSnapshotReplacesTheJournalsBeforeIt() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "before ");
      fixture.append(
          new AppendRequest("a", "text/plain", false, "7", new ProducerTag("p", 1, 0)),
          fixture.inline("p "));
      fixture.create("deleted");
      fixture.store.delete("deleted").join();
    }
    LocalDisk disk = new LocalDisk();
    StoreLayout layout = new StoreLayout(directory);
    Recovery.Result found = Recovery.run(disk, layout, 0);
    Executor atOnce = Runnable::run;
    try (JournalSeries journals =
        new JournalSeries(
            disk,
            layout,
            new AtomicLong(found.nextId()),
            atOnce,
            JournalSeries.newBuffer(),
            Journal.resume(
                disk,
                layout,
                found.journalSequence(),
                found.journalMark(),
                found.journalBytes(),
                JournalSeries.newBuffer()),
            found.dirtyFiles())) {
      journals.rotate(found.catalog());
    }
    assertThat(layout.journal(1)).doesNotExist();
    assertThat(layout.journal(2)).exists();
    assertThat(layout.snapshot(2)).exists();
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("before p ");
      assertThat(fixture.store.find("deleted")).isNull();
      assertThat(fixture.state("a").lastSequence()).isEqualTo("7");
      assertThat(
              fixture.append(
                  new AppendRequest("a", "text/plain", false, null, new ProducerTag("p", 1, 0)),
                  fixture.inline("p ")))
          .isEqualTo(new AppendOutcome.Duplicate(9, false, 1, 0));
      fixture.append("a", "after");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("before p after");
    }
  }

  @Test
  void aJournalOfVersion1IsFollowedByTheNext() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "of version 1");
    }
    writeAsVersion1(journal(directory));
    for (String expected : new String[] {"of version 1", "of version 1, more"}) {
      try (StoreFixture fixture = new StoreFixture(directory)) {
        assertThat(fixture.read("a")).isEqualTo(expected);
        fixture.append("a", ", more");
      }
      StoreLayout layout = new StoreLayout(directory);
      assertThat(layout.journal(1)).doesNotExist();
      assertThat(layout.journal(2)).exists();
      assertThat(layout.journal(3)).doesNotExist();
    }
  }

  /** A torn end with a mark in it would be damage, and the node would not start. */
  @Test
  void aClientCannotWriteAMarkAlsoAfterAJournalOfVersion1() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
    }
    writeAsVersion1(journal(directory));
    Path newest;
    long start;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.append("a", "kept");
      newest = newestJournal();
      long before = Files.size(newest);
      append(fixture, ByteBuffer.allocate(FrameLayout.HEADER_BYTES + SyncMark.BODY_BYTES));
      start = Files.size(newest);
      append(fixture, markWithoutKey(start + start - before));
    }
    flip(newest, start);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).startsWith("kept");
    }
  }

  private Path newestJournal() throws IOException {
    return new LocalDisk()
        .list(new StoreLayout(directory).journalDirectory()).stream()
            .filter(file -> StoreLayout.journalSequence(file).isPresent())
            .max(Comparator.naturalOrder())
            .orElseThrow();
  }

  private static void append(StoreFixture fixture, ByteBuffer body) throws IOException {
    fixture.append(
        new AppendRequest("a", "text/plain", false, null, null),
        new Payload.Inline(body, () -> {}));
  }

  /** As a frame that ends at a position. */
  private static ByteBuffer markWithoutKey(long end) {
    int bytes = FrameLayout.HEADER_BYTES + SyncMark.BODY_BYTES;
    ByteBuffer frame = ByteBuffer.allocate(bytes);
    putFrame(SyncMark.WITHOUT_KEY.at(end - bytes), frame);
    return frame.flip();
  }

  /** Without a key in the header, and without marks. */
  private static void writeAsVersion1(Path journal) throws IOException {
    ByteBuffer frames = ByteBuffer.allocate((int) Files.size(journal));
    try (DiskFile file = new LocalDisk().openForReading(journal)) {
      FrameReader in = new FrameReader(file, 0);
      assertThat(in.next()).isNotNull();
      putFrame(
          new RecordWriter().putString("weir journal").putInt(1).putLong(1).contents(), frames);
      for (ByteBuffer body = in.next(); body != null; body = in.next()) {
        boolean isMark = body.get(0) == 0;
        if (!isMark) {
          putFrame(body, frames);
        }
      }
    }
    Files.write(journal, Arrays.copyOf(frames.array(), frames.position()));
  }

  private static void putFrame(ByteBuffer body, ByteBuffer target) {
    int checksum = FrameLayout.checksum(body, ByteBuffer.allocate(0));
    FrameLayout.putHeader(target, body.remaining(), checksum);
    target.put(body);
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

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
