package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.DelegatingNativeMemory;
import dev.weir.memory.testing.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ends that pools come to, and what the purger does until then. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PoolLifeTest {
  private final FakeNativeMemory os = new FakeNativeMemory();

  private Pool pool() {
    return Pool.create(
        PoolOptions.withLimit(16 << 20).withDecay(Duration.ofMillis(20)).withNativeMemory(os));
  }

  @Test
  void aPoolTakesNothingBeforeItsFirstAllocation() {
    try (Pool pool = pool()) {
      assertThat(pool.residentBytes()).isZero();
      assertThat(pool.reservationAddress()).isZero();
      pool.trim();
      pool.checkInvariants();
    }
    assertThat(os.calls()).isZero();
  }

  @Test
  void whatFailsBehindTheReservationGivesItBack() {
    NoHeapBehindReservation noHeap = new NoHeapBehindReservation(os);
    try (Pool pool = Pool.create(PoolOptions.withLimit(16 << 20).withNativeMemory(noHeap))) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> pool.allocate(100)).isInstanceOf(OutOfMemoryError.class);
        assertThat(os.reservations()).isZero();
      }
      noHeap.fails = false;
      pool.allocate(100).release();
      assertThat(os.reservations()).isEqualTo(1);
    }
    assertThat(os.reservations()).isZero();
  }

  @Test
  void closedWithNothingLiveItGivesItsAddressesBackAtOnce() {
    Pool pool = pool();
    pool.allocate(100).release();
    pool.allocate(100_000).release();
    assertThat(os.reservations()).isEqualTo(1);

    pool.close();
    pool.close();

    assertThat(os.reservations()).isZero();
  }

  /** The purger comes by while the pool is closed, and gives the addresses back as well. */
  @Test
  void atOnceAlsoWhenThePurgerIsFaster() {
    for (int i = 0; i < 60; i++) {
      Pool pool =
          Pool.create(
              PoolOptions.withLimit(16 << 20)
                  .withDecay(Duration.ofMillis(10))
                  .withNativeMemory(new SlowNativeMemory(os)));
      pool.allocate(100_000).release();

      pool.close();

      assertThat(os.reservations()).as("after pool %d", i).isZero();
    }
  }

  @Test
  void liveBlocksKeepTheirContentsAfterCloseAndTheLastReleasesTheReservation() {
    Pool pool = Pool.create(PoolOptions.withLimit(16 << 20).withDecay(Duration.ofMillis(20)));
    List<Block> live = new ArrayList<>();
    for (int bytes : new int[] {50, 5_000, 65_536, 100_000, 1 << 20}) {
      Block block = pool.allocate(bytes);
      Patterns.fill(block, live.size());
      live.add(block);
    }
    pool.allocate(2 << 20).release();

    pool.close();

    Await.until(() -> pool.dirtyBytes() == 0, () -> pool.snapshot().toString());
    for (int i = 0; i < live.size(); i++) {
      assertThat(pool.liveBlockBytes()).isPositive();
      Patterns.verify(live.get(i), i);
      live.get(i).release();
    }
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void slotsReleasedAfterCloseGiveTheReservationBack() throws InterruptedException {
    Pool pool = pool();
    List<Block> live = new ArrayList<>();
    Thread owner =
        Thread.ofPlatform()
            .start(() -> {
              OwnedHeap heap = pool.support().ownedHeap(task -> {});
              for (int i = 0; i < 100; i++) {
                live.add(pool.support().allocateBlock(heap, 4096, pool.rootBudget()));
                live.add(pool.allocate(3_000));
              }
            });
    owner.join();
    pool.close();
    assertThat(os.reservations()).isEqualTo(1);

    live.forEach(Block::release);

    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aHeapServesNobodyOnceItsOwnerHasHeardOfTheEnd() throws InterruptedException {
    Pool pool = pool();
    Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    OwnedHeap heap = pool.support().ownedHeap(posted::add);
    List<Block> live = new ArrayList<>();
    for (int bytes = 16; bytes <= 65_536; bytes *= 2) {
      live.add(pool.support().allocateBlock(heap, bytes, pool.rootBudget()));
    }
    Thread closing = Thread.ofPlatform().start(pool::close);
    closing.join();
    // The purger may have posted something before the end.
    assertThat(posted).isNotEmpty();
    posted.forEach(Runnable::run);

    for (int bytes = 16; bytes <= 65_536; bytes *= 2) {
      int size = bytes;
      assertThatThrownBy(() -> pool.support().tryAllocateBlock(heap, size, pool.rootBudget()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
    assertThat(heap.isClosed()).isTrue();
    live.forEach(Block::release);
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void anOwnerThatOnlyAllocatesHearsOfTheEnd() throws InterruptedException {
    Pool pool = pool();
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> live = new ArrayList<>();
    live.add(pool.support().allocateBlock(heap, 4_096, pool.rootBudget()));
    Thread closing = Thread.ofPlatform().start(pool::close);
    closing.join();

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                live.add(pool.support().allocateBlock(heap, 4_096, pool.rootBudget()));
              }
            })
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");

    assertThat(live).hasSizeLessThan(17);
    live.forEach(Block::release);
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aPoolThatNothingRefersToGivesItsAddressesBack() {
    for (int i = 0; i < 20; i++) {
      leave(pool());
    }
    assertThat(os.reservations()).isPositive();

    Await.until(
        () -> {
          System.gc();
          return os.reservations() == 0;
        },
        () -> os.reservations() + " reservations left");
  }

  private static void leave(Pool pool) {
    pool.allocate(100);
    pool.allocate(100_000);
    pool.support().ownedHeap(task -> {});
  }

  @Test
  void aBlockKeepsTheReservationOfAPoolThatIsGone() {
    Block block = pool().allocate(100_000);
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    assertThat(os.reservations()).isEqualTo(1);
    block.release();
  }

  @Test
  void dirtyPagesDecayWithoutAnybodyAsking() {
    Pool pool = pool();
    Block keeper = pool.allocate(100_000);
    pool.allocate(3 << 20).release();
    pool.allocate(60_000).release();
    assertThat(pool.dirtyBytes()).isPositive();

    Await.until(() -> pool.residentBytes() == keeper.size(), () -> pool.snapshot().toString());

    keeper.release();
    pool.close();
  }

  @Test
  void moreDirtyPagesThanAreWantedDoNotWaitForTheirAge() {
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(64 << 20)
                .withPurgePolicy(PurgePolicy.dense())
                .withDecay(Duration.ofDays(1))
                .withNativeMemory(os));
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      blocks.add(pool.allocate(1 << 20));
    }
    blocks.forEach(Block::release);

    Await.until(() -> pool.dirtyBytes() <= 4 << 20, () -> pool.snapshot().toString());

    assertThat(pool.dirtyBytes()).as("some stays, for what comes next").isPositive();
    pool.close();
  }

  /** The Java heap is full once addresses are reserved. */
  private static final class NoHeapBehindReservation extends DelegatingNativeMemory {
    private boolean fails = true;
    private boolean reserved;

    NoHeapBehindReservation(NativeMemory os) {
      super(os);
    }

    @Override
    public long reserve(long bytes) {
      reserved = true;
      return super.reserve(bytes);
    }

    @Override
    public int pageBytes() {
      if (fails && reserved) {
        reserved = false;
        throw new OutOfMemoryError("no Java heap");
      }
      return super.pageBytes();
    }
  }

  /** Leaves others time to meet whoever gives memory back. */
  private static final class SlowNativeMemory extends DelegatingNativeMemory {
    private static final long PAUSE_NANOS = 5_000_000;

    SlowNativeMemory(NativeMemory os) {
      super(os);
    }

    @Override
    public void purge(long address, long bytes) {
      LockSupport.parkNanos(PAUSE_NANOS);
      super.purge(address, bytes);
    }

    @Override
    public void release(long address, long bytes) {
      LockSupport.parkNanos(PAUSE_NANOS);
      super.release(address, bytes);
    }
  }
}
