package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class StreamStoreTest {
  @TempDir Path directory;
  private int names;

  @Test
  void whatWasAppendedIsReadBackAlsoAfterARestart() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.create("a")).isInstanceOf(CreateOutcome.Created.class);
      assertThat(fixture.append("a", "hello ")).isEqualTo(new AppendOutcome.Appended(6, false));
      assertThat(fixture.append("a", "world")).isEqualTo(new AppendOutcome.Appended(11, false));
      assertThat(fixture.read("a")).isEqualTo("hello world");
      assertThat(fixture.unreleased).hasValue(0);
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("hello world");
      assertThat(fixture.append("a", "!")).isEqualTo(new AppendOutcome.Appended(12, false));
      assertThat(fixture.read("a")).isEqualTo("hello world!");
    }
  }

  @Test
  void pathsAreAnyUnicode() throws IOException {
    List<String> paths =
        List.of("ünï", "\ud83d\ude00/\u0000", "\u202e\ufeff", "\ue000".repeat(500));
    try (StoreFixture fixture = new StoreFixture(directory)) {
      for (String path : paths) {
        fixture.create(path);
        fixture.append(path, "in " + path);
      }
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      for (String path : paths) {
        assertThat(fixture.read(path)).isEqualTo("in " + path);
      }
    }
  }

  @Test
  void manyAppendsShareASync() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.create("b");
      long before = fixture.store.stats().syncs();
      // However the threads take turns, most come while the first is on its way.
      disk.pauseWrites();
      List<CompletableFuture<AppendOutcome>> answers = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        answers.add(
            fixture.store.append(
                new AppendRequest(i % 2 == 0 ? "a" : "b", "text/plain", false, null, null),
                fixture.inline("x")));
      }
      disk.resumeWrites();
      answers.forEach(CompletableFuture::join);
      assertThat(fixture.state("a").tailOffset()).isEqualTo(1000);
      assertThat(fixture.store.stats().syncs() - before).isLessThan(1000);
    }
  }

  @Test
  void aSpooledBodyIsPartOfItsStreamAndAnAbortedOneLeavesNothing() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "small ");
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("large ".getBytes()));
      spool.write(ByteBuffer.wrap("body ".getBytes()));
      Spool aborted = fixture.store.spool();
      aborted.write(ByteBuffer.wrap("never".getBytes()));
      aborted.abort();
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      fixture.append("a", "small");
      assertThat(fixture.read("a")).isEqualTo("small large body small");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("small large body small");
      assertThat(StoreFixture.spoolFiles(directory)).isEmpty();
    }
  }

  @Test
  @Timeout(60)
  void aSpooledBodyIsSentAsAFileUntilItIsFlushed() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("large body".getBytes()));
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      fixture.append("a", ", small one");
      try (RangeReader reader = fixture.store.read(fixture.state("a"), 0, 21);
          RangeReader late = fixture.store.read(fixture.state("a"), 0, 21)) {
        assertThat(sent(reader, 6)).isEqualTo("large ");
        assertThat(sent(reader, 6)).isEqualTo("body");
        assertThat(reader.nextInFile(6)).as("in the WAL").isNull();
        assertThat(reader.remaining()).isEqualTo(11);
        assertThat(sent(late, 6)).isEqualTo("large ");
        fixture.store.flush().join();
        while (!StoreFixture.spoolFiles(directory).isEmpty()) {
          Thread.onSpinWait(); // Another thread deletes it.
        }
        assertThat(late.nextInFile(6)).as("deleted").isNull();
        ByteBuffer rest = ByteBuffer.allocate(15);
        late.read(rest);
        assertThat(new String(rest.array())).isEqualTo("body, small one");
      }
    }
  }

  private static String sent(RangeReader reader, int bytes) throws IOException {
    FileStretch stretch = reader.nextInFile(bytes);
    assertThat(stretch).isNotNull();
    try (FileChannel file = stretch.file()) {
      ByteBuffer read = ByteBuffer.allocate((int) stretch.lengthBytes());
      file.read(read, stretch.position());
      return new String(read.array());
    }
  }

  @Test
  void aSpooledBodyThatIsRefusedIsDeleted() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("body".getBytes()));
      assertThat(
              fixture.append(
                  new AppendRequest("missing", "text/plain", false, null, null), spool.finish()))
          .isEqualTo(new AppendOutcome.NotFound());
    }
    assertThat(StoreFixture.spoolFiles(directory)).isEmpty();
  }

  @Test
  void aDeletedStreamIsGoneWithItsFilesAndItsPathIsFree() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "old");
      assertThat(fixture.store.delete("a").join()).isEqualTo(DeleteOutcome.DELETED);
      assertThat(fixture.store.delete("a").join()).isEqualTo(DeleteOutcome.NOT_FOUND);
      fixture.create("a");
      fixture.append("a", "new");
      assertThat(fixture.read("a")).isEqualTo("new");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("new");
    }
    assertThat(StoreFixture.segments(directory)).hasSize(1);
  }

  @Test
  void aForkSharesItsSourcesBytesAndKeepsThemAlive() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "shared");
      fork(fixture, "a", "b", 5);
      fixture.append("a", " source");
      fixture.append("b", " fork");
      assertThat(fixture.store.delete("a").join()).isEqualTo(DeleteOutcome.DELETED);
      assertThat(fixture.state("a").softDeleted()).isTrue();
      assertThat(fixture.append("a", "x")).isEqualTo(new AppendOutcome.Gone());
      assertThat(fixture.read("b")).isEqualTo("share fork");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("b")).isEqualTo("share fork");
      assertThat(fixture.store.delete("b").join()).isEqualTo(DeleteOutcome.DELETED);
      assertThat(fixture.store.find("a")).isNull();
    }
    assertThat(StoreFixture.segments(directory)).isEmpty();
  }

  private static void fork(StoreFixture fixture, String source, String path, long point) {
    CreateRequest request =
        new CreateRequest(
            path,
            null,
            StreamConfig.NONE,
            null,
            StreamConfig.NONE,
            false,
            CreateRequest.ForkRequest.of(source, point, 0)
                .resolved(fixture.state(source).streamId(), point));
    assertThat(fixture.store.create(request, new Payload.None()).join())
        .isInstanceOf(CreateOutcome.Created.class);
  }

  @Test
  void producersAreRememberedOverARestart() throws IOException {
    AppendRequest first =
        new AppendRequest("a", "text/plain", false, null, new ProducerTag("p", 0, 0));
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      assertThat(fixture.append(first, fixture.inline("x")))
          .isEqualTo(new AppendOutcome.Appended(1, false));
      assertThat(fixture.append(first, fixture.inline("x")))
          .isEqualTo(new AppendOutcome.Duplicate(1, false, 0, 0));
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.append(first, fixture.inline("x")))
          .isEqualTo(new AppendOutcome.Duplicate(1, false, 0, 0));
      assertThat(
              fixture.append(
                  new AppendRequest("a", "text/plain", false, null, new ProducerTag("p", 0, 2)),
                  fixture.inline("x")))
          .isEqualTo(new AppendOutcome.SequenceGap(1, 2));
      assertThat(fixture.unreleased).hasValue(0);
    }
  }

  @Test
  void anIdleStreamExpiresAndItsPathIsFree() throws IOException {
    AtomicLong now = new AtomicLong(0);
    try (StoreFixture fixture = new StoreFixture(directory, new LocalDisk(), now)) {
      CreateRequest request =
          new CreateRequest("a", "text/plain", 10, null, StreamConfig.NONE, false, null);
      fixture.store.create(request, fixture.inline("old")).join();
      now.set(9_999);
      fixture.store.touch(fixture.store.find("a"));
      now.set(19_998);
      assertThat(fixture.store.find("a")).isNotNull();
      now.set(19_999);
      assertThat(fixture.store.find("a")).isNull();
      assertThat(fixture.append("a", "x")).isEqualTo(new AppendOutcome.NotFound());
      assertThat(fixture.create("a")).isInstanceOf(CreateOutcome.Created.class);
      assertThat(fixture.read("a")).isEmpty();
    }
  }

  @Test
  void waitersAreCalledOnceWhenBytesComeOrTheStreamEnds() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      AtomicInteger calls = new AtomicInteger();
      fixture.store.find("a").await(0, calls::incrementAndGet);
      Stream.Wait cancelled = fixture.store.find("a").await(0, () -> calls.addAndGet(100));
      cancelled.cancel();
      fixture.append("a", "x");
      fixture.append("a", "y");
      assertThat(calls).hasValue(1);
      fixture.store.find("a").await(2, calls::incrementAndGet);
      fixture.append(new AppendRequest("a", null, true, null, null), new Payload.None());
      assertThat(calls).hasValue(2);
      fixture.store.find("a").await(2, calls::incrementAndGet);
      assertThat(calls).hasValue(3);
    }
  }

  @Test
  void aFullDiskFailsTheAppendAndNothingElse() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    for (int room = 0; room < 80; room += 4) {
      Path data = directory.resolve("room" + room);
      disk.room(Long.MAX_VALUE);
      try (StoreFixture fixture = new StoreFixture(data, disk, new AtomicLong())) {
        fixture.create("a");
        fixture.append("a", "before ");
        disk.room(room);
        boolean stored = appendOrFull(fixture);
        assertThat(fixture.read("a")).isEqualTo(stored ? "before 0123456789" : "before ");
        disk.room(Long.MAX_VALUE);
        fixture.append("a", " after");
        assertThat(fixture.read("a"))
            .isEqualTo((stored ? "before 0123456789" : "before ") + " after");
        assertThat(fixture.unreleased).hasValue(0);
      }
      try (StoreFixture fixture = new StoreFixture(data)) {
        assertThat(fixture.read("a")).endsWith(" after").startsWith("before ");
      }
    }
  }

  private static boolean appendOrFull(StoreFixture fixture) throws IOException {
    try {
      fixture.append("a", "0123456789");
      return true;
    } catch (StorageFullException e) {
      assertThat(e).hasMessageContaining("full");
      return false;
    }
  }

  @Test
  void aFullDiskFailsASpooledBodyAndItsFileIsDeleted() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      disk.room(3);
      Spool spool = fixture.store.spool();
      assertThatThrownBy(() -> spool.write(ByteBuffer.wrap(new byte[10])))
          .isInstanceOf(StorageFullException.class);
      spool.abort();
      disk.room(Long.MAX_VALUE);
    }
    assertThat(StoreFixture.spoolFiles(directory)).isEmpty();
  }

  @Test
  void afterAFailedSyncTheStoreServesReadsOnly() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "kept");
      disk.failSyncs();
      assertThatThrownBy(() -> fixture.append("a", "lost"))
          .isInstanceOf(StoreFailedException.class);
      assertThatThrownBy(() -> fixture.append("a", "lost"))
          .isInstanceOf(StoreFailedException.class);
      assertThat(fixture.read("a")).isEqualTo("kept");
      assertThat(fixture.unreleased).hasValue(0);
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).startsWith("kept");
    }
  }

  @Test
  void afterADefectTheStoreServesReadsOnlyAndAnswersEverybody() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "kept");
      disk.makeWritesADefect();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> fixture.append("a", "lost"))
            .isInstanceOf(StoreFailedException.class)
            .hasMessageContaining("StackOverflowError");
      }
      assertThat(fixture.store.stats().isFailed()).isTrue();
      assertThat(fixture.read("a")).isEqualTo("kept");
      assertThat(fixture.unreleased).hasValue(0);
    }
  }

  @Test
  void streamsAndProducersTakeABoundedShareOfTheHeap() throws IOException {
    int streams = 0;
    try (StoreFixture fixture = new StoreFixture(directory, 100_000)) {
      while (isThereRoom(() -> create(fixture, "x".repeat(500)))) {
        streams++;
      }
      assertThat(streams).isBetween(50, 100);
      String path = "0" + "x".repeat(500);
      assertThat(isThereRoom(() -> appendAs(fixture, path, "p"))).isFalse();
      assertThat(fixture.append(path, "without a producer"))
          .isInstanceOf(AppendOutcome.Appended.class);
      assertThat(fixture.unreleased).hasValue(0);
    }
    try (StoreFixture fixture = new StoreFixture(directory, 100_000)) {
      assertThat(isThereRoom(() -> create(fixture, "y"))).isFalse();
      for (int i = 0; i < streams; i++) {
        String path = i + "x".repeat(500);
        assertThat(fixture.store.delete(path).join()).isEqualTo(DeleteOutcome.DELETED);
      }
      // Whatever was counted for them is not any more.
      fixture.create("p");
      int producers = 0;
      while (isThereRoom(() -> appendAs(fixture, "p", "z".repeat(500)))) {
        producers++;
      }
      assertThat(producers).isBetween(50, 100);
    }
  }

  private void create(StoreFixture fixture, String suffix) throws IOException {
    try {
      fixture.create(names + suffix);
      names++;
    } catch (CompletionException e) {
      throw (IOException) e.getCause();
    }
  }

  private void appendAs(StoreFixture fixture, String path, String suffix) throws IOException {
    ProducerTag producer = new ProducerTag(names + suffix, 0, 0);
    fixture.append(
        new AppendRequest(path, "text/plain", false, null, producer), fixture.inline("x"));
    names++;
  }

  private interface Change {
    void make() throws IOException;
  }

  private static boolean isThereRoom(Change change) throws IOException {
    try {
      change.make();
      return true;
    } catch (CatalogFullException full) {
      return false;
    }
  }

  @Test
  void aSecondNodeIsKeptOff() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      assertThatThrownBy(() -> new StoreFixture(directory))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("in use by another node");
    }
  }
}
