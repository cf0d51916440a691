package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.EndOfStack;
import dev.weir.memory.testing.Workers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that recurse without end, and run out of stack while they take blocks, close heaps or
 * trim.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EndOfTheStackTest {
  private static final int OVERFLOWS = 400;
  private static final long STACK_BYTES = 512 << 10;
  private static final int ROUNDS = 20;

  private final Pool pool = Pool.create(PoolOptions.withLimit(256 << 20));
  private final Budget feature = pool.rootBudget().child("feature", Budget.UNLIMITED);
  private final Queue<Block> live = new ConcurrentLinkedQueue<>();

  /** Where a lock is lost, the thread itself, the trim or the purger never comes to an end. */
  @Test
  void leavesNoLockHeld() throws InterruptedException {
    AtomicInteger overflows = new AtomicInteger();
    Thread thread = new Thread(null, () -> overflow(overflows), "endless", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    thread.join();

    assertThat(overflows).hasValue(OVERFLOWS);
    Workers workers = new Workers();
    workers.platform(pool::trim);
    workers.join();
    assertThat(pool.tryAllocate(100)).isNotNull();
  }

  @Test
  void aHeapThatIsClosedThereLeavesThePoolUsable() throws InterruptedException {
    linkAll();
    for (int round = 0; round < ROUNDS; round++) {
      atTheEndOfTheStack(() -> {
        OwnedHeap heap = heapWithBlocks();
        return heap::close;
      });
      releaseAll();
    }
    assertPromisesAreKept();
  }

  @Test
  void aTrimThereLeavesThePoolUsable() throws InterruptedException {
    linkAll();
    for (int round = 0; round < ROUNDS; round++) {
      leaveADeadOwner();
      atTheEndOfTheStack(() -> pool::trim);
      releaseAll();
    }
    assertPromisesAreKept();
  }

  /** Slabs may be lost there. Locks and charges may not, and the figures still add up. */
  private void assertPromisesAreKept() throws InterruptedException {
    Workers workers = new Workers();
    workers.platform(() -> {
      pool.trim();
      heapWithBlocks().close();
    });
    workers.join();
    releaseAll();
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(feature.chargedBytes()).isZero();
    pool.checkInvariants();
  }

  /** What the JVM links at its first use takes far more stack than its use. */
  private void linkAll() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      leaveADeadOwner();
      releaseAll();
      assertNothingIsLeft();
      OwnedHeap heap = heapWithBlocks();
      heap.close();
      releaseAll();
      assertNothingIsLeft();
    }
  }

  private void leaveADeadOwner() throws InterruptedException {
    Thread dead = new Thread(this::heapWithBlocks);
    dead.start();
    dead.join();
  }

  /** Of 60,000 bytes each, so that slabs are full and become empty with a few. */
  private OwnedHeap heapWithBlocks() {
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    for (int i = 0; i < 30; i++) {
      live.add(pool.support().allocateBlock(heap, 60_000, feature));
    }
    return heap;
  }

  private void releaseAll() throws InterruptedException {
    Workers workers = new Workers();
    workers.platform(() -> {
      live.forEach(Block::release);
      live.clear();
    });
    workers.join();
  }

  private void assertNothingIsLeft() {
    Await.until(
        () -> {
          pool.trim();
          return pool.residentBytes() == 0;
        },
        () -> pool.snapshot().toString());
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(feature.chargedBytes()).isZero();
    pool.checkInvariants();
  }

  /** In a thread of its own, at each of its last levels once, until there is room for it. */
  private static void atTheEndOfTheStack(Supplier<Runnable> preparation)
      throws InterruptedException {
    EndOfStack.onThread(() -> EndOfStack.descend(preparation.get()));
  }

  private void overflow(AtomicInteger overflows) {
    for (int i = 0; i < OVERFLOWS; i++) {
      try {
        takeAtEachLevel(0);
      } catch (StackOverflowError e) {
        overflows.incrementAndGet();
      }
    }
  }

  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private void takeAtEachLevel(int level) {
    Block block = pool.allocate(100 + level % 8_000);
    try {
      takeAtEachLevel(level + 1);
    } finally {
      block.release();
    }
  }
}
