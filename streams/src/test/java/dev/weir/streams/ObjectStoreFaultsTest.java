package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.objects.FaultyObjectStore;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object store that is away, damaged, or another's. */
class ObjectStoreFaultsTest {
  @TempDir Path temporary;

  private Path objects() {
    return temporary.resolve("objects");
  }

  private StoreOptions shared(boolean takesOver) {
    return StoreOptions.embedded()
        .in(embedded -> DirectoryObjectStore.open(objects()))
        .owning("a-host", takesOver, /* withoutItsWal= */ false);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  @Test
  void whileItIsAwayAppendsAreTakenUpToALimitAndFlushedLater() throws IOException {
    FaultyObjectStore store =
        new FaultyObjectStore(DirectoryObjectStore.open(objects()), /* seed= */ 1);
    StoreOptions options =
        StoreOptions.embedded()
            .in(embedded -> store)
            .flushing(Duration.ofHours(1), /* bytes= */ 500, /* mostUnflushedBytes= */ 1000);
    String piece = "x".repeat(300);
    try (StoreFixture fixture = new StoreFixture(temporary.resolve("data"), options)) {
      fixture.create("a");
      store.gone(true);
      for (int i = 0; i < 3; i++) {
        fixture.append("a", piece);
      }
      assertThatThrownBy(() -> fixture.append("a", piece))
          .isInstanceOf(UnflushedFullException.class)
          .hasMessageContaining(
              "900 bytes wait for the object store, and with 300 more it would be over --staging"
                  + " 1,000")
          .hasMessageContaining("raise --staging");
      assertThat(fixture.read("a")).hasSize(900);
      assertThat(fixture.store.stats().unflushedBytes()).isEqualTo(900);
      assertThat(fixture.unreleased).hasValue(0);
      CompletableFuture<Void> flush = fixture.store.flush();
      store.heal();
      flush.join();
      assertThat(fixture.store.stats().unflushedBytes()).isZero();
      fixture.append("a", piece);
      assertThat(fixture.read("a")).hasSize(1200);
    }
    try (StoreFixture fixture = new StoreFixture(temporary.resolve("data"), shared(false))) {
      assertThat(fixture.read("a")).hasSize(1200);
    }
  }

  /** Nothing of it may be evicted, and nothing waits for it. */
  @Test
  void whileItIsAwayMoreIsTakenThanTheLogCacheHasRoomFor() throws IOException {
    FaultyObjectStore store =
        new FaultyObjectStore(DirectoryObjectStore.open(objects()), /* seed= */ 1);
    String piece = "x".repeat(100_000);
    try (Pool pool = Pool.create(PoolOptions.withLimit(16 << 20));
        LogCache tail =
            LogCache.create(pool, pool.rootBudget(), LogCacheOptions.withCapacity(1 << 20));
        StoreFixture fixture =
            new StoreFixture(
                temporary.resolve("data"),
                StoreOptions.embedded().in(embedded -> store).with(tail, null))) {
      fixture.create("a");
      store.gone(true);
      for (int i = 0; i < 30; i++) {
        fixture.append("a", piece);
      }
      assertThat(fixture.read("a")).isEqualTo(piece.repeat(30));
      store.heal();
      fixture.store.flush().join();
      fixture.append("a", "!");
      assertThat(fixture.read("a")).isEqualTo(piece.repeat(30) + "!");
    }
  }

  /** The Java heap has to know where each is. */
  @Test
  void whileItIsAwayAsManyChangesAreTakenAsTheHeapHasRoomFor() throws IOException {
    FaultyObjectStore store =
        new FaultyObjectStore(DirectoryObjectStore.open(objects()), /* seed= */ 1);
    StoreOptions options = StoreOptions.embedded().in(embedded -> store);
    List<CompletableFuture<AppendOutcome>> answers = new ArrayList<>();
    try (StoreFixture fixture =
        new StoreFixture(temporary.resolve("data"), /* catalogLimitBytes= */ 100_000, options)) {
      fixture.create("a");
      store.gone(true);
      for (int i = 0; i < 12_000; i++) {
        AppendRequest request = new AppendRequest("a", "text/plain", false, null, null);
        answers.add(fixture.store.append(request, fixture.inline("x")));
      }
      CompletableFuture<AppendOutcome> last = answers.getLast();
      assertThatThrownBy(last::join)
          .hasCauseInstanceOf(UnflushedFullException.class)
          .hasMessageContaining("changes wait for the object store");
      assertThat(answers.stream().filter(answer -> !answer.isCompletedExceptionally()).count())
          .isGreaterThan(9_000);
      store.heal();
      fixture.store.flush().join();
      fixture.append("a", "x");
    }
  }

  @Test
  void aSpoolFileThatIsLostCostsItsOwnBytesAlone() throws IOException {
    Path data = temporary.resolve("data");
    try (StoreFixture fixture = new StoreFixture(data)) {
      fixture.create("a");
      fixture.create("b");
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("body".getBytes(StandardCharsets.UTF_8)));
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      fixture.append("a", " goes on");
      fixture.append("b", "all of b");
      Files.delete(StoreFixture.spoolFiles(data).getFirst());
      fixture.store.flush().join();
      assertThatThrownBy(() -> fixture.read("a"))
          .hasCauseInstanceOf(DamagedObjectException.class)
          .hasMessageContaining("missing");
      fixture.append("a", ", and on");
    }
    try (StoreFixture fixture = new StoreFixture(data)) {
      assertThat(fixture.read(fixture.state("a"), 4, 20)).isEqualTo(" goes on, and on");
      assertThat(fixture.read("b")).isEqualTo("all of b");
    }
  }

  @Test
  void anotherNodeTakesItOverOnDemandAndTheFirstOneTakesNoMoreChanges() throws IOException {
    Path second = temporary.resolve("second");
    try (StoreFixture first = new StoreFixture(temporary.resolve("first"), shared(false))) {
      first.create("a");
      first.append("a", "flushed");
      first.store.flush().join();
      assertThatThrownBy(() -> new StoreFixture(second, shared(false)))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("a-host")
          .hasMessageContaining("--take-over");
      try (StoreFixture other = new StoreFixture(second, shared(true))) {
        assertThat(other.store.epoch()).isEqualTo(2);
        assertThat(other.read("a")).isEqualTo("flushed");
        first.append("a", ", kept in the first one's WAL");
        assertThatThrownBy(() -> first.store.flush().join())
            .isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(StoreFailedException.class)
            .hasMessageContaining("taken over by a-host");
        assertThatThrownBy(() -> first.append("a", "x"))
            .isInstanceOf(StoreFailedException.class)
            .hasMessageContaining("taken over by a-host");
        assertThat(first.read("a")).isEqualTo("flushed, kept in the first one's WAL");
        other.append("a", ", goes on");
      }
    }
    assertThatThrownBy(() -> new StoreFixture(temporary.resolve("first"), shared(false)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("--take-over");
    try (StoreFixture again = new StoreFixture(temporary.resolve("first"), shared(true))) {
      assertThat(again.read("a")).isEqualTo("flushed, goes on");
    }
    assertThat(temporary.resolve("first").resolve("wal-before-epoch-3")).exists();
  }

  private static void flipAByte(Path segment) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    bytes[0] ^= 1;
    Files.write(segment, bytes);
  }

  @Test
  void whatIsDamagedIsNotServedAfterAStartAndAllElseIs() throws IOException {
    Path data = temporary.resolve("data");
    try (StoreFixture fixture = new StoreFixture(data)) {
      fixture.create("a");
      fixture.append("a", "1".repeat(100_000));
      fixture.create("b");
      fixture.append("b", "2".repeat(100_000));
    }
    flipAByte(StoreFixture.segments(data).getFirst());
    try (StoreFixture fixture = new StoreFixture(data)) {
      assertThatThrownBy(() -> fixture.read("a"))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(DamagedObjectException.class)
          .hasMessageContaining("seg/0/1/");
      assertThat(fixture.read(fixture.state("a"), 70_000, 100_000)).isEqualTo("1".repeat(30_000));
      assertThat(fixture.read("b")).isEqualTo("2".repeat(100_000));
      fixture.append("a", "3");
      assertThat(fixture.read(fixture.state("a"), 70_000, 100_001)).endsWith("13");
    }
  }

  @Test
  void whatAScrubFindsIsNotServedAnyMore() throws IOException {
    Path data = temporary.resolve("data");
    StoreOptions options = StoreOptions.embedded().scrubbing(Duration.ofMillis(1));
    try (StoreFixture fixture = new StoreFixture(data, options)) {
      fixture.create("a");
      fixture.append("a", "1".repeat(1000));
      fixture.store.flush().join();
      assertThat(fixture.read("a")).isEqualTo("1".repeat(1000));
      flipAByte(StoreFixture.segments(data).getFirst());
      await(() -> fixture.store.stats().damagedSegments() > 0);
      assertThatThrownBy(() -> fixture.read("a")).hasCauseInstanceOf(DamagedObjectException.class);
    }
  }
}
