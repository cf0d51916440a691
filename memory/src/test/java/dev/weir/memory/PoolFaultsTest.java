package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.os.ReservationFailedError;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.DelegatingNativeMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool whose operating system fails: at the n-th call, and from the n-th call on. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PoolFaultsTest {
  private static final long LIMIT_BYTES = 6L << 20;
  private static final int MAX_CALLS = 1_000;

  @Test
  void everySingleFaultIsSurvived() {
    int n = 1;
    while (survives(n, /* lasting= */ false)) {
      n++;
      assertThat(n).as("faults before the scenario ran through").isLessThan(MAX_CALLS);
    }
    assertThat(n).as("calls of the scenario").isGreaterThan(20);
  }

  @Test
  void everyLastingFaultIsSurvived() {
    int n = 1;
    while (survives(n, /* lasting= */ true)) {
      n++;
      assertThat(n).as("faults before the scenario ran through").isLessThan(MAX_CALLS);
    }
    assertThat(n).as("calls of the scenario").isGreaterThan(20);
  }

  /** Whoever frees memory calls the purger for what could not be purged, each time. */
  @Test
  void thePurgerLeavesAloneForAWhileWhatHasFailed() {
    AtomicInteger attempts = new AtomicInteger();
    AtomicBoolean fails = new AtomicBoolean(true);
    Thread here = Thread.currentThread();
    DelegatingNativeMemory os =
        new DelegatingNativeMemory(new FakeNativeMemory()) {
          @Override
          public void purge(long address, long bytes) {
            attempts.addAndGet(Thread.currentThread() == here ? 0 : 1);
            if (fails.get()) {
              throw new NativeMemoryException("planted");
            }
            super.purge(address, bytes);
          }
        };
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(256L << 20)
                .withName("faulty")
                .withPurgePolicy(PurgePolicy.dense())
                .withDecay(Duration.ofDays(1))
                .withNativeMemory(os));
    for (Block block : allocate(pool, 80)) {
      block.release();
    }
    Await.until(() -> attempts.get() > 0, () -> "the purger's first attempt");
    long begun = System.nanoTime();
    for (int i = 0; i < 5_000; i++) {
      pool.allocate(256 << 10, pool.rootBudget()).release();
    }
    // In this order: an interruption between the two allows for more attempts, never for fewer.
    int made = attempts.get();
    long tenths = (System.nanoTime() - begun) / 100_000_000;

    assertThat(made).isLessThanOrEqualTo((int) (2 + tenths));
    fails.set(false);
    pool.close();
  }

  private static List<Block> allocate(Pool pool, int count) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(pool.allocate(256 << 10, pool.rootBudget()));
    }
    return blocks;
  }

  /** Runs the scenario with the n-th call failing; returns whether any call failed. */
  private static boolean survives(int n, boolean lasting) {
    FakeNativeMemory os = new FakeNativeMemory();
    Scenario scenario = new Scenario(os);
    if (lasting) {
      os.failFrom(n);
    } else {
      os.failAt(n);
    }
    try {
      scenario.run();
      boolean failed = os.failures() > 0;
      os.heal();
      scenario.releaseAndClose();
      return failed;
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          "with call " + n + " failing" + (lasting ? " and all after" : ""), e);
    }
  }

  private static final class Scenario {
    private final FakeNativeMemory os;
    private final Pool pool;
    private final Budget feature;
    private final ArrayDeque<Block> live = new ArrayDeque<>();
    private final List<Grant> grants = new ArrayList<>();
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private OwnedHeap heap;

    Scenario(FakeNativeMemory os) {
      this.os = os;
      this.pool =
          Pool.create(
              PoolOptions.withLimit(LIMIT_BYTES)
                  .withName("faulty")
                  .withDecay(Duration.ofDays(1))
                  .withNativeMemory(os));
      this.feature = pool.rootBudget().child("feature", Budget.UNLIMITED);
    }

    void run() {
      attempt(() -> heap = pool.support().ownedHeap(posted::add));
      for (int round = 0; round < 3; round++) {
        growFar();
        releaseAllButEvery(2);
        slotsAndRuns();
        grow();
        fillToTheLimit();
        releaseAllButEvery(3);
        attempt(pool::trim);
        grantAndUse();
        releaseAllButEvery(2);
        check();
      }
    }

    private void slotsAndRuns() {
      for (int size = 1; size <= 512 << 10; size *= 4) {
        int bytes = size;
        attempt(() -> live.add(pool.allocate(bytes, feature)));
        if (heap != null) {
          attempt(() -> live.add(pool.support().allocateBlock(heap, bytes, feature)));
        }
      }
      check();
    }

    private void grow() {
      for (Block block : live) {
        long before = block.size();
        attempt(() -> {
          if (block.tryGrow(before * 2)) {
            assertThat(block.size()).isGreaterThanOrEqualTo(before * 2);
          }
        });
        assertThat(block.size()).isGreaterThanOrEqualTo(before);
      }
      check();
    }

    /** Beyond the shortest rooms, which moves the pages, or copies them where that fails. */
    private void growFar() {
      attempt(() -> live.add(pool.allocateGrowing(100_000, feature)));
      for (long bytes = 200_000; bytes < LIMIT_BYTES; bytes *= 3) {
        long wanted = bytes;
        for (Block block : live) {
          attempt(() -> block.tryGrow(wanted));
        }
        check();
      }
    }

    private void fillToTheLimit() {
      for (int bytes : new int[] {200_000, 40_000, 3_000, 100}) {
        boolean more = true;
        for (int i = 0; more && i < 50_000; i++) {
          int before = live.size();
          attempt(() -> live.add(pool.allocate(bytes)));
          more = live.size() > before;
        }
      }
      check();
    }

    private void releaseAllButEvery(int n) {
      for (int i = live.size(); i > 0; i--) {
        Block block = live.remove();
        if (i % n == 0) {
          live.add(block);
        } else {
          block.release();
        }
      }
      check();
    }

    private void grantAndUse() {
      for (long bytes : new long[] {100_000, 1 << 20, LIMIT_BYTES * 2}) {
        attempt(() -> {
          CompletableFuture<Grant> future = pool.grant(bytes, Duration.ofMillis(1));
          grants.add(join(future));
        });
      }
      for (Grant grant : grants) {
        attempt(() -> live.add(grant.allocate(grant.remainingBytes() / 2)));
      }
      check();
      grants.forEach(Grant::close);
      grants.clear();
    }

    private static Grant join(CompletableFuture<Grant> future) {
      try {
        return future.join();
      } catch (CompletionException e) {
        switch (e.getCause()) {
          case BudgetExceededError refused -> throw refused;
          case TimeoutException late ->
              throw new NativeMemoryException("late: " + late.getMessage());
          default -> throw e;
        }
      }
    }

    private void check() {
      for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
        task.run();
      }
      assertThat(pool.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
      Await.untilPasses(pool::checkInvariants);
    }

    /** Nothing but the errors of the contract comes out, and each says what happened. */
    private static void attempt(Runnable step) {
      try {
        step.run();
      } catch (BudgetExceededError | ReservationFailedError | NativeMemoryException e) {
        assertThat(e.getMessage()).containsPattern("\\d");
      }
    }

    void releaseAndClose() {
      live.forEach(Block::release);
      live.clear();
      check();
      assertThat(pool.liveBlockBytes()).isZero();
      assertThat(feature.chargedBytes()).isZero();
      if (heap != null) {
        heap.close();
      }
      pool.trim();
      Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
      pool.checkInvariants();
      pool.close();
      Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
    }
  }
}
