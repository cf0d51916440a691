package dev.weir.cache.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.TestPool;
import dev.weir.memory.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
  private static final int PAGE = 64 << 10;

  private final TestPool pool = new TestPool(32 << 20);
  private final ManualClock clock = new ManualClock();
  private final BlockCache cache =
      BlockCache.create(
          pool.pool,
          pool.parent,
          BlockCacheOptions.withCapacity(16 * PAGE)
              .withPageBytes(PAGE)
              .withAheadBytes(4 * PAGE)
              .withClock(clock::nanos, clock::later));
  private final FakeSource source = new FakeSource("store");
  private final BlockObject object = new BlockObject(source, "object", 100L * PAGE + 1_000);

  @AfterEach
  void nothingIsLeft() {
    source.open().forEach(FakeSource.Call::succeed);
    cache.checkInvariants();
    cache.close();
    cache.close();
    pool.close();
  }

  private CacheSlice readNow(long offset, int bytes) {
    CompletableFuture<CacheSlice> read = cache.read(object, offset, bytes);
    if (!read.isDone()) {
      source.last().succeed();
    }
    return read.join();
  }

  private void touch(long page) {
    readNow(page * PAGE, 1).release();
  }

  @Test
  void manyWaitersShareOneLoad() {
    List<CompletableFuture<CacheSlice>> reads = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      reads.add(cache.read(object, PAGE + 100 * i, 1_000));
    }
    assertThat(source.calls).hasSize(1);
    assertThat(cache.figures().loadingBytes()).isEqualTo(PAGE);
    source.last().succeed();
    for (int i = 0; i < 64; i++) {
      CacheSlice slice = reads.get(i).join();
      source.verify(slice, "object", PAGE + 100 * i);
      slice.release();
    }
    assertThat(cache.figures().joined()).isEqualTo(63);
    assertThat(cache.figures().chargedBytes()).isEqualTo(PAGE);
    readNow(PAGE, 10).release();
    assertThat(source.calls).hasSize(1);
    assertThat(cache.figures().hits()).isEqualTo(1);
  }

  @Test
  void aSliceEndsWithThePageAndTheObject() {
    try (CacheSlice slice = readNow(PAGE - 10, 1_000)) {
      assertThat(slice.byteSize()).isEqualTo(10);
    }
    try (CacheSlice slice = readNow(100L * PAGE + 990, 1_000)) {
      assertThat(slice.byteSize()).isEqualTo(10);
    }
    assertThat(source.last().into.byteSize()).isEqualTo(1_000);
    assertThatThrownBy(() -> cache.read(object, 100L * PAGE + 1_000, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void roomIsChargedBeforeTheFetch() {
    source.onFetch = call -> assertThat(cache.budget().chargedBytes()).isEqualTo(PAGE);
    touch(3);
    assertThat(source.calls).hasSize(1);
  }

  @Test
  void theLastWhoGivesUpCancelsTheLoad() {
    CompletableFuture<CacheSlice> first = cache.read(object, 0, 10);
    CompletableFuture<CacheSlice> second = cache.read(object, 0, 10);
    first.cancel(false);
    assertThat(source.last().cancels).isZero();
    second.completeExceptionally(new java.util.concurrent.TimeoutException());
    assertThat(source.last().cancels).isEqualTo(1);
    assertThat(cache.figures().cancelledLoads()).isEqualTo(1);

    // It may still be written: it stays charged, and another load takes other memory.
    assertThat(cache.budget().chargedBytes()).isEqualTo(PAGE);
    CompletableFuture<CacheSlice> third = cache.read(object, 0, 10);
    assertThat(source.calls).hasSize(2);
    source.calls.get(0).succeed();
    assertThat(third).isNotDone();
    assertThat(cache.budget().chargedBytes()).isEqualTo(PAGE);
    source.calls.get(1).succeed();
    third.join().release();
    assertThat(source.calls.get(1).cancels).isZero();
  }

  @Test
  void whoGivesUpInTimeGetsNoSlice() {
    CompletableFuture<CacheSlice> slow = cache.read(object, 0, 10).orTimeout(1, TimeUnit.HOURS);
    CompletableFuture<CacheSlice> other = cache.read(object, 0, 10);
    slow.cancel(false);
    source.last().succeed();
    other.join().release();
    assertThat(cache.figures().pinnedBytes()).isZero();
  }

  @Test
  void aFailedLoadIsNotCached() {
    CompletableFuture<CacheSlice> first = cache.read(object, 0, 10);
    source.last().fail(new IOException("503"));
    assertThatThrownBy(first::join).hasRootCauseMessage("503");
    assertThat(cache.budget().chargedBytes()).isZero();
    assertThat(cache.figures().failedLoads()).isEqualTo(1);

    try (CacheSlice slice = readNow(0, PAGE)) {
      source.verify(slice, "object", 0);
    }
    assertThat(source.calls).hasSize(2);
  }

  @Test
  void aSourceThatThrowsLosesNothing() {
    for (Throwable failure :
        List.of(new IllegalStateException("closed"), new StackOverflowError())) {
      source.onFetch = call -> sneak(failure);
      CompletableFuture<CacheSlice> read = cache.read(object, 0, 10);
      assertThatThrownBy(read::join).hasCause(failure);
      assertThat(cache.budget().chargedBytes()).isZero();
    }
    source.onFetch = call -> {};
    touch(0);
    source.calls.forEach(call -> call.end.complete(null));
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void aSourceMayEndAtOnce() {
    source.onFetch = FakeSource.Call::succeed;
    CacheSlice slice = cache.read(object, 5 * PAGE, 10).join();
    source.verify(slice, "object", 5 * PAGE);
    slice.release();
  }

  @Test
  void twoStoresMayHaveObjectsOfOneName() {
    FakeSource other = new FakeSource("another");
    touch(0);
    CompletableFuture<CacheSlice> read =
        cache.read(new BlockObject(other, "object", PAGE), 0, PAGE);
    other.last().succeed();
    other.verify(read.join(), "object", 0);
    read.join().release();
  }

  @Test
  void pagesThatReadersHoldAreChargedUntilTheLastRelease() {
    List<CacheSlice> held = new ArrayList<>();
    for (int page = 0; page < 16; page++) {
      held.add(readNow((long) page * PAGE, PAGE));
    }
    CompletableFuture<CacheSlice> refused = cache.read(object, 20L * PAGE, 10);
    assertThatThrownBy(refused::join).hasCauseInstanceOf(BlockCacheFullException.class);
    assertThat(cache.figures().refused()).isEqualTo(1);
    assertThat(cache.budget().chargedBytes()).isEqualTo(16 * PAGE);
    for (int page = 0; page < 16; page++) {
      source.verify(held.get(page), "object", (long) page * PAGE);
    }
    held.removeFirst().release();
    touch(20);
    cache.checkInvariants();
    held.forEach(CacheSlice::release);
    assertThat(cache.figures().orphanedBytes()).isZero();
    touch(21);
  }

  @Test
  void aScanLeavesWhatIsReadAgainAndAgain() {
    for (int round = 0; round < 20; round++) {
      for (int page = 0; page < 8; page++) {
        touch(page);
      }
    }
    for (int page = 20; page < 90; page++) {
      touch(page);
      assertThat(cache.budget().chargedBytes()).isLessThanOrEqualTo(16 * PAGE);
    }
    int before = source.calls.size();
    for (int page = 0; page < 8; page++) {
      touch(page);
    }
    assertThat(source.calls.size() - before).isLessThanOrEqualTo(1);
  }

  @Test
  void aBlockCacheGivesWayToOthersAndTakesRoomBack() {
    for (int page = 0; page < 16; page++) {
      touch(page);
    }
    assertThat(cache.budget().chargedBytes()).isEqualTo(16 * PAGE);
    List<Block> others = new ArrayList<>();
    for (Block block = pool.pool.tryAllocate(1 << 20); block != null; ) {
      others.add(block);
      block = pool.pool.tryAllocate(1 << 20);
    }
    assertThat(cache.figures().reclaimedBytes()).isEqualTo(16 * PAGE);
    assertThat(cache.budget().chargedBytes()).isZero();

    others.forEach(Block::release);
    for (int page = 0; page < 16; page++) {
      touch(page);
    }
    assertThat(cache.budget().chargedBytes()).isEqualTo(16 * PAGE);
  }

  @Test
  void aReadMakesRoomInThePoolByAskingOthers() {
    List<Block> others = new ArrayList<>();
    for (Block block = pool.pool.tryAllocate(1 << 20); block != null; ) {
      others.add(block);
      block = pool.pool.tryAllocate(1 << 20);
    }
    for (Block block = pool.pool.tryAllocate(PAGE); block != null; ) {
      others.add(block);
      block = pool.pool.tryAllocate(PAGE);
    }
    CompletableFuture<CacheSlice> refused = cache.read(object, 0, 10);
    assertThatThrownBy(refused::join).hasCauseInstanceOf(BlockCacheFullException.class);
    var registration =
        pool.pool.addReclaimer(
            pool.pool.rootBudget(),
            1,
            bytes -> {
              others.removeFirst().release();
              return 1 << 20;
            });
    touch(0);
    registration.close();
    others.forEach(Block::release);
  }

  @Test
  void closingCancelsWhatIsUnderWayAndLeavesSlices() {
    CacheSlice slice = readNow(0, PAGE);
    CompletableFuture<CacheSlice> read = cache.read(object, PAGE, 10);
    cache.close();
    assertThatThrownBy(read::join).hasRootCauseMessage("block cache 'block-cache' is closed");
    assertThat(source.last().cancels).isEqualTo(1);
    assertThat(pool.parent.chargedBytes()).isEqualTo(2 * PAGE);
    source.last().succeed();
    source.verify(slice, "object", 0);
    slice.release();
    assertThat(pool.parent.chargedBytes()).isZero();
    assertThatThrownBy(() -> cache.read(object, 0, 1)).hasMessageContaining("closed");
  }
}
