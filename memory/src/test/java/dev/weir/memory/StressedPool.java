package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FlakyNativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.testing.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A pool, and what the {@link StressActor}s that use it share. */
final class StressedPool {
  private static final int GENERATIONS = 8;
  private static final int FEW_SIZES = 3;

  /** A block, and the number that its contents are made of. */
  record Parcel(Block block, long number) {}

  final Pool pool;
  final long limitBytes;
  final Budget[] budgets;

  /** The sizes of most blocks: few, so that threads meet in the same slabs. */
  final int[] sizes = new int[FEW_SIZES];

  final Queue<Parcel> onTheWay = new ConcurrentLinkedQueue<>();
  final AtomicInteger onTheWayCount = new AtomicInteger();

  /** Asked for, and neither spent nor refused yet: the purger does that, in the end. */
  final AtomicInteger grantsUnderWay = new AtomicInteger();

  private final AtomicLong numbers = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean closing;

  StressedPool(FlakyNativeMemory os, long limitBytes, SplittableRandom random) {
    this.limitBytes = limitBytes;
    pool =
        Pool.create(
            PoolOptions.withLimit(limitBytes)
                .withDecay(Duration.ofMillis(10))
                .withNativeMemory(os));
    Budget half = pool.rootBudget().child("half", limitBytes / 2);
    budgets =
        new Budget[] {
          pool.rootBudget(), pool.rootBudget(), half, half.child("tenth", limitBytes / 10)
        };
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = 1 + random.nextInt(1 << random.nextInt(4, 17));
    }
  }

  /** Whether the pool is closed, or is about to be. */
  boolean isClosing() {
    return closing;
  }

  @Nullable Throwable failure() {
    return failure.get();
  }

  void fail(Throwable e) {
    failure.compareAndSet(null, e);
  }

  /** Writes over a block what it will be known by. */
  Parcel fill(Block block) {
    Parcel parcel = new Parcel(block, numbers.incrementAndGet());
    Patterns.fill(block, parcel.number);
    return parcel;
  }

  void send(Parcel parcel) {
    onTheWay.add(parcel);
    onTheWayCount.incrementAndGet();
  }

  @Nullable Parcel receive() {
    Parcel parcel = onTheWay.poll();
    if (parcel != null) {
      onTheWayCount.decrementAndGet();
    }
    return parcel;
  }

  static void release(Parcel parcel) {
    Patterns.verify(parcel.block, parcel.number);
    parcel.block.release();
  }

  /** Threads with a heap, one after the other. Half of them end without closing it. */
  void generations(SplittableRandom random) throws InterruptedException {
    for (int i = 0; i < GENERATIONS; i++) {
      AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
      SplittableRandom own = random.split();
      Thread thread =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  StressActor.withHeap(this, own).work(1.0 / GENERATIONS);
                } catch (Throwable e) {
                  failed.set(e);
                }
              });
      thread.join();
      if (failed.get() != null) {
        throw new AssertionError("an owner failed: " + failed.get(), failed.get());
      }
    }
  }

  /** Closes the pool once the actors have handed over so many blocks. */
  void closeAfter(int parcels) {
    long until = numbers.get() + parcels;
    while (numbers.get() < until) {
      LockSupport.parkNanos(50_000);
    }
    closing = true;
    try {
      pool.close();
    } catch (NativeMemoryException e) {
      assertThat(e).hasMessageContaining("today");
    }
  }

  List<Block> liveBlocks() {
    return onTheWay.stream().map(Parcel::block).toList();
  }

  void releaseAll() {
    for (Parcel parcel = receive(); parcel != null; parcel = receive()) {
      release(parcel);
    }
  }

  /** Only when nobody allocates or releases. */
  void checkCharges() {
    pool.rootBudget().checkInvariants();
    for (int i = 2; i < budgets.length; i++) {
      Budget budget = budgets[i];
      assertThat(budget.chargedBytes())
          .as(budget.path())
          .isEqualTo(
              liveBlocks().stream()
                  .filter(block -> isAtOrBelow(block.budget(), budget))
                  .mapToLong(Block::size)
                  .sum());
    }
  }

  private static boolean isAtOrBelow(@Nullable Budget budget, Budget ancestor) {
    return budget != null && (budget == ancestor || isAtOrBelow(budget.parent(), ancestor));
  }

  /** No two blocks overlap, and all lie in the reservation. */
  void checkAddresses(List<Block> live) {
    List<Block> ascending = new ArrayList<>(live);
    ascending.sort(Comparator.comparingLong(Block::address));
    long end = pool.reservationAddress();
    for (Block block : ascending) {
      assertThat(block.address()).as("%s", block).isGreaterThanOrEqualTo(end);
      end = block.address() + block.size();
    }
    assertThat(end).isLessThanOrEqualTo(pool.reservationAddress() + pool.reservationBytes());
  }
}
