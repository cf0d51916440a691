package dev.weir.cache.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.TestPool;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages fetched ahead, in time that the test passes: a fetch takes 20 ms. */
class ReadaheadTest {
  private static final int PAGE = 64 << 10;
  private static final int CAPACITY_PAGES = 128;
  private static final long LATENCY = Duration.ofMillis(20).toNanos();

  private final TestPool pool = new TestPool(64 << 20);
  private final ManualClock clock = new ManualClock();
  private final FakeSource source = new FakeSource("store");
  private final BlockObject object = new BlockObject(source, "object", 1_000L * PAGE);
  private final BlockCache cache =
      BlockCache.create(
          pool.pool,
          pool.parent,
          BlockCacheOptions.withCapacity(CAPACITY_PAGES * PAGE)
              .withPageBytes(PAGE)
              .withClock(clock::nanos, clock::later));

  ReadaheadTest() {
    source.onFetch = call -> clock.later(call::succeed, LATENCY);
  }

  @AfterEach
  void nothingIsLeft() {
    cache.checkInvariants();
    cache.close();
    while (clock.waiting() > 0) {
      clock.runNext();
    }
    pool.close();
  }

  private void read(BlockReader reader, long page) {
    CompletableFuture<CacheSlice> read = reader.read(page * PAGE, PAGE);
    while (!read.isDone()) {
      clock.runNext();
    }
    try (CacheSlice slice = read.join()) {
      source.verify(slice, "object", page * PAGE);
    }
    cache.checkInvariants();
  }

  private void scan(BlockReader reader, int from, int to, long consumeNanos) {
    for (int page = from; page < to; page++) {
      read(reader, page);
      clock.advance(consumeNanos);
    }
  }

  @Test
  void aSequentialReaderSeldomWaits() {
    try (BlockReader reader = cache.reader(object)) {
      scan(reader, 0, 1_000, LATENCY / 10);
    }
    long atLeast = 1_000 * (LATENCY / 10) + LATENCY;
    BlockCacheFigures figures = cache.figures();
    System.out.printf(
        "sequential: %.3f of the least time, %d pages fetched, %.3f of those ahead used%n",
        (double) atLeast / clock.elapsedNanos(),
        figures.loads(),
        (double) figures.aheadUsefulBytes() / figures.aheadLoadedBytes());
    assertThat((double) atLeast / clock.elapsedNanos()).isGreaterThan(0.9);
    assertThat(figures.loads()).isEqualTo(1_000);
    assertThat(figures.aheadUsefulBytes()).isEqualTo(figures.aheadLoadedBytes()).isPositive();
    assertThat(figures.aheadUnreadBytes()).isZero();
  }

  @Test
  void aReaderThatTakesNoTimeIsLimitedByTheRoomForReadahead() {
    try (BlockReader reader = cache.reader(object)) {
      scan(reader, 0, 1_000, 0);
    }
    // A quarter of the capacity, 32 pages, may be under way at once.
    long atLeast = 1_000 * LATENCY / (CAPACITY_PAGES / 4);
    assertThat((double) atLeast / clock.elapsedNanos()).isGreaterThan(0.75);
    assertThat(cache.figures().loads()).isEqualTo(1_000);
  }

  @Test
  void aSlowReaderHasOnePageAhead() {
    try (BlockReader reader = cache.reader(object)) {
      scan(reader, 0, 50, 5 * LATENCY);
      assertThat(cache.figures().aheadBytes()).isEqualTo(PAGE);
    }
  }

  @Test
  void nothingIsFetchedBehindTheEndOfTheRange() {
    try (BlockReader reader = cache.reader(object, 10L * PAGE)) {
      scan(reader, 0, 10, 1_000);
      clock.advance(LATENCY);
      assertThat(source.calls).hasSize(10);
      assertThatThrownBy(() -> reader.read(10L * PAGE, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void randomReadsFetchHardlyAnythingAhead() {
    SplittableRandom random = new SplittableRandom(1);
    try (BlockReader reader = cache.reader(object)) {
      for (int i = 0; i < 2_000; i++) {
        read(reader, random.nextInt(1_000));
      }
    }
    BlockCacheFigures figures = cache.figures();
    assertThat((double) figures.aheadLoadedBytes() / figures.loadedBytes()).isLessThan(0.05);
  }

  @Test
  void unreadPagesGoAfterTenSecondsWithoutBeingAsked() {
    BlockReader reader = cache.reader(object);
    scan(reader, 0, 20, LATENCY / 4);
    clock.advance(LATENCY);
    long unread = cache.figures().aheadBytes();
    int window = reader.window().pages();
    assertThat(unread).isGreaterThanOrEqualTo(2 * PAGE);
    assertThat(window).isGreaterThanOrEqualTo(2);
    clock.advance(Duration.ofMillis(9_900).toNanos());
    assertThat(cache.figures().aheadBytes()).isPositive();
    clock.advance(Duration.ofMillis(101).toNanos());
    assertThat(cache.figures().aheadBytes()).isZero();
    assertThat(cache.figures().aheadUnreadBytes()).isEqualTo(unread);
    assertThat(reader.window().pages()).isLessThan(window);
    assertThat(clock.waiting()).isZero();

    // Time alone does not switch it off.
    scan(reader, 20, 24, LATENCY / 4);
    assertThat(reader.window().pages()).isPositive();
    reader.close();
  }

  @Test
  void aJumpAndACloseCancelWhatIsUnderWay() {
    BlockReader reader = cache.reader(object);
    scan(reader, 0, 20, LATENCY / 4);
    long open = source.open().size();
    assertThat(open).isPositive();
    CompletableFuture<CacheSlice> far = reader.read(500L * PAGE, 1);
    assertThat(cache.figures().cancelledLoads()).isEqualTo(open);
    assertThat(source.calls.stream().mapToInt(call -> call.cancels).sum()).isEqualTo(open);
    clock.advance(LATENCY);
    far.join().release();
    reader.close();
    assertThatThrownBy(() -> reader.read(0, 1)).hasMessageContaining("closed");
  }

  @Test
  void aPageThatOthersWaitForIsNotCancelledWithItsReader() {
    BlockReader reader = cache.reader(object);
    scan(reader, 0, 20, LATENCY / 4);
    FakeSource.Call ahead = source.open().getFirst();
    CompletableFuture<CacheSlice> other = cache.read(object, ahead.offset, 10);
    reader.close();
    clock.advance(LATENCY);
    other.join().release();
    assertThat(ahead.cancels).isZero();
  }

  @Test
  void demandTakesTheRoomOfWhatIsUnread() {
    BlockReader reader = cache.reader(object);
    scan(reader, 0, 40, 1_000_000);
    clock.advance(LATENCY);
    assertThat(cache.figures().aheadBytes()).isPositive();
    int window = reader.window().pages();
    java.util.List<CacheSlice> held = new java.util.ArrayList<>();
    for (int page = 500; page < 500 + CAPACITY_PAGES - 2; page++) {
      CompletableFuture<CacheSlice> read = cache.read(object, (long) page * PAGE, PAGE);
      clock.advance(LATENCY);
      held.add(read.join());
    }
    cache.checkInvariants();
    assertThat(cache.figures().aheadUnreadBytes()).isPositive();
    assertThat(reader.window().pages()).isLessThan(window);
    held.forEach(CacheSlice::release);
    reader.close();
  }
}
