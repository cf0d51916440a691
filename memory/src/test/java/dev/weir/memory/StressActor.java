package dev.weir.memory;

import dev.weir.memory.StressedPool.Parcel;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.testing.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One thread of the mixed stress: does what its random numbers tell it. */
final class StressActor {
  private static final int STEPS = 10_000;
  private static final int MOST_ON_THE_WAY = 600;
  private static final int MOST_OWN = 40;

  private final StressedPool stressed;
  private final Pool pool;
  private final SplittableRandom random;
  private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
  private final List<Parcel> own = new ArrayList<>();
  private @Nullable OwnedHeap heap;

  /**
   * An actor for the calling thread.
   *
   * @param heap this thread's, or null
   */
  StressActor(StressedPool stressed, SplittableRandom random, @Nullable OwnedHeap heap) {
    this.stressed = stressed;
    this.pool = stressed.pool;
    this.random = random;
    this.heap = heap;
  }

  static StressActor withHeap(StressedPool stressed, SplittableRandom random) {
    StressActor actor = new StressActor(stressed, random, null);
    actor.attempt(actor::openHeap);
    return actor;
  }

  void work() {
    work(1);
  }

  /** Does a part of all steps, then leaves what it holds to others, and perhaps its heap. */
  void work(double part) {
    boolean began = stressed.isClosing();
    for (int step = 0; step < STEPS * part && stressed.isClosing() == began; step++) {
      attempt(this::step);
      if (stressed.onTheWayCount.get() > MOST_ON_THE_WAY) {
        receive(20);
      }
    }
    own.forEach(stressed::send);
    if (heap != null && random.nextBoolean()) {
      heap.close();
    }
    Thread.interrupted();
  }

  /** Only the errors of the contract may come out. */
  private void attempt(Runnable action) {
    try {
      action.run();
    } catch (BudgetExceededError | NativeMemoryException e) {
      // What a full pool, and a system that fails, are entitled to.
    } catch (IllegalStateException e) {
      if (!stressed.isClosing()) {
        throw e;
      }
    }
  }

  private void step() {
    int choice = random.nextInt(1_000);
    if (choice < 480) {
      allocate();
    } else if (choice < 640) {
      receive(1);
    } else if (choice < 860) {
      releaseOwn();
    } else if (choice < 900) {
      grow();
    } else if (choice < 920) {
      useGrant();
    } else if (choice < 970) {
      runPosted();
    } else if (choice < 980) {
      Thread.currentThread().interrupt();
    } else if (choice < 985) {
      Thread.interrupted();
    } else if (choice < 988) {
      changeLimits();
    } else if (choice < 992) {
      useShortLivedBudget();
    } else if (choice < 995) {
      pool.trim();
    } else if (choice < 997) {
      look();
    } else if (heap != null) {
      heap.close();
      heap = null;
      openHeap();
    }
  }

  private void openHeap() {
    Executor executor =
        switch (random.nextInt(4)) {
          case 0 -> task -> {};
          case 1 -> Runnable::run;
          case 2 ->
              task -> {
                throw new RejectedExecutionException();
              };
          default -> posted::add;
        };
    heap = pool.support().ownedHeap(executor);
  }

  private int randomSize() {
    return random.nextInt(4) == 0
        ? random.nextInt(1 << random.nextInt(1, 20))
        : stressed.sizes[random.nextInt(stressed.sizes.length)];
  }

  private @Nullable Block take(Budget budget) {
    int bytes = randomSize();
    return heap != null && random.nextInt(8) != 0
        ? pool.support().tryAllocateBlock(heap, bytes, budget)
        : pool.tryAllocate(bytes, budget);
  }

  private void allocate() {
    Block block = take(stressed.budgets[random.nextInt(stressed.budgets.length)]);
    if (block == null) {
      receive(10);
      return;
    }
    keepOrSend(stressed.fill(block));
  }

  private void keepOrSend(Parcel parcel) {
    if (own.size() < MOST_OWN && random.nextInt(3) == 0) {
      own.add(parcel);
    } else {
      stressed.send(parcel);
    }
  }

  private void receive(int parcels) {
    for (int i = 0; i < parcels; i++) {
      Parcel parcel = stressed.receive();
      if (parcel != null) {
        StressedPool.release(parcel);
      }
    }
  }

  private void releaseOwn() {
    if (!own.isEmpty()) {
      int index = random.nextInt(own.size());
      Parcel last = own.removeLast();
      StressedPool.release(index == own.size() ? last : own.set(index, last));
    }
  }

  private void grow() {
    if (own.isEmpty()) {
      return;
    }
    Parcel parcel = own.removeLast();
    try {
      long before = parcel.block().size();
      if (parcel.block().tryGrow(before + 1 + random.nextInt(100_000))) {
        Patterns.verify(parcel.block(), parcel.number(), before);
        parcel = stressed.fill(parcel.block());
      }
    } finally {
      own.add(parcel);
    }
  }

  private void useGrant() {
    long bytes = 1 + random.nextLong(1L << random.nextInt(12, 22));
    stressed.grantsUnderWay.incrementAndGet();
    CompletableFuture<Grant> future =
        pool.grant(bytes, Duration.ofNanos(random.nextInt(3_000_000)));
    if (random.nextInt(3) == 0) {
      future.cancel(false);
    }
    long size = 1 + random.nextLong(bytes);
    future.whenComplete((grant, failure) -> {
      if (grant != null) {
        spend(grant, size);
      }
      stressed.grantsUnderWay.decrementAndGet();
    });
  }

  /** On this thread or the purger's. */
  private void spend(Grant grant, long size) {
    try (grant) {
      Block block = grant.allocate(size);
      stressed.send(stressed.fill(block));
    } catch (NativeMemoryException e) {
      // A purge failed that the grant's pages needed.
    } catch (Throwable e) {
      stressed.fail(e);
    }
  }

  private void runPosted() {
    for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
      task.run();
    }
  }

  private void changeLimits() {
    pool.setLimitBytes(random.nextLong(PoolOptions.MIN_LIMIT_BYTES, stressed.limitBytes + 1));
    Budget budget = stressed.budgets[2 + random.nextInt(2)];
    budget.setLimitBytes(random.nextLong(stressed.limitBytes));
  }

  private void useShortLivedBudget() {
    Budget task = stressed.budgets[2].child("task", Budget.UNLIMITED);
    try {
      for (int i = 0; i < 4; i++) {
        Block block = take(task);
        if (block != null) {
          stressed.send(stressed.fill(block));
        }
      }
    } finally {
      task.close();
    }
    if (take(task) != null) {
      throw new AssertionError("a closed budget pays");
    }
  }

  private void look() {
    PoolSnapshot snapshot = pool.snapshot();
    if (snapshot.peakResidentBytes() > stressed.limitBytes || snapshot.toString().isEmpty()) {
      throw new AssertionError(snapshot.toString());
    }
  }
}
