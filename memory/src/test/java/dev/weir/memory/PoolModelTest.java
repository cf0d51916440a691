package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import dev.weir.memory.testing.SeededRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random use of a whole pool on real memory, every block with contents of its own. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class PoolModelTest {
  private static final int STEPS = 6_000;

  @ParameterizedTest
  @ValueSource(longs = {4 << 20, 64 << 20})
  void everyBlockKeepsItsContentsAndEverythingGoesBack(long limitBytes) {
    SeededRuns.forSeeds(getClass(), 8, random -> new Session(random, limitBytes).run());
  }

  private static final class Held {
    final Block block;
    final long number;

    Held(Block block, long number) {
      this.block = block;
      this.number = number;
      Patterns.fill(block, number);
    }
  }

  private static final class Session {
    private final SplittableRandom random;
    private final long limitBytes;
    private final Pool pool;
    private final Budget[] budgets;
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final List<Held> held = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();
    private OwnedHeap heap;
    private long numbers;

    Session(SplittableRandom random, long limitBytes) {
      this.random = random;
      this.limitBytes = limitBytes;
      this.pool = Pool.create(PoolOptions.withLimit(limitBytes).withDecay(Duration.ofMillis(20)));
      Budget root = pool.rootBudget();
      Budget half = root.child("half", limitBytes / 2);
      this.budgets = new Budget[] {root, half, half.child("tenth", limitBytes / 10)};
      this.heap = pool.support().ownedHeap(posted::add);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step();
        assertThat(pool.residentBytes()).isLessThanOrEqualTo(limitBytes);
        assertThat(budgets[1].chargedBytes()).isLessThanOrEqualTo(limitBytes / 2);
        assertThat(budgets[2].chargedBytes()).isLessThanOrEqualTo(limitBytes / 10);
        if (step % 500 == 0) {
          check();
        }
      }
      check();
      grants.forEach(Grant::close);
      while (!held.isEmpty()) {
        release(held.size() - 1);
      }
      heap.close();
      assertThat(pool.liveBlockBytes()).isZero();
      for (Budget budget : budgets) {
        assertThat(budget.chargedBytes()).isZero();
      }
      pool.trim();
      assertThat(pool.residentBytes()).isZero();
      Await.untilPasses(pool::checkInvariants);
      pool.close();
    }

    private void check() {
      Await.untilPasses(pool::checkInvariants);
      long sizes = held.stream().mapToLong(each -> each.block.size()).sum();
      Await.untilPasses(() -> assertThat(pool.liveBlockBytes()).isEqualTo(sizes));
      for (Budget budget : List.of(budgets[1], budgets[2])) {
        assertThat(budget.chargedBytes())
            .isEqualTo(
                held.stream()
                    .filter(each -> isAtOrBelow(each.block.budget(), budget))
                    .mapToLong(each -> each.block.size())
                    .sum());
      }
    }

    private static boolean isAtOrBelow(@Nullable Budget budget, Budget ancestor) {
      return budget != null && (budget == ancestor || isAtOrBelow(budget.parent(), ancestor));
    }

    private void step() {
      switch (random.nextInt(100)) {
        case 0 -> pool.trim();
        case 1 -> replaceHeap();
        case 2, 3, 4 -> grant();
        case 5, 6, 7, 8 -> useGrant();
        case 9, 10, 11 -> closeGrant();
        case 12, 13, 14, 15, 16, 17, 18 -> grow();
        case 19, 20 -> runPosted();
        case 21 -> releaseHalf();
        default -> {
          if (random.nextInt(100) < 60) {
            allocate();
          } else if (!held.isEmpty()) {
            release(random.nextInt(held.size()));
          }
        }
      }
    }

    private long randomSize() {
      return 1 + random.nextLong(1L << random.nextInt(1, 22));
    }

    private void allocate() {
      long bytes = randomSize();
      Budget budget = budgets[random.nextInt(budgets.length)];
      Block block =
          switch (random.nextInt(4)) {
            case 0 -> tryAllocateGrowing(bytes, budget);
            case 1 -> pool.tryAllocate(bytes, budget);
            default -> pool.support().tryAllocateBlock(heap, bytes, budget);
          };
      if (block != null) {
        assertThat(block.size()).isGreaterThanOrEqualTo(bytes);
        assertThat(block.budget()).isSameAs(budget);
        held.add(new Held(block, ++numbers));
      }
    }

    private @Nullable Block tryAllocateGrowing(long bytes, Budget budget) {
      try {
        return pool.allocateGrowing(bytes, budget);
      } catch (BudgetExceededError refused) {
        return null;
      }
    }

    private void release(int index) {
      Held last = held.removeLast();
      Held victim = index == held.size() ? last : held.set(index, last);
      Patterns.verify(victim.block, victim.number);
      victim.block.release();
    }

    private void releaseHalf() {
      for (int i = held.size() / 2; i > 0; i--) {
        release(random.nextInt(held.size()));
      }
    }

    private void grow() {
      if (!held.isEmpty()) {
        int index = random.nextInt(held.size());
        Held old = held.get(index);
        long before = old.block.size();
        if (old.block.tryGrow(before + randomSize())) {
          Patterns.verify(old.block, old.number, before);
          held.set(index, new Held(old.block, ++numbers));
        } else {
          assertThat(old.block.size()).isEqualTo(before);
        }
      }
    }

    private void grant() {
      CompletableFuture<Grant> future = pool.grant(randomSize(), Duration.ofHours(1));
      if (future.isDone() && !future.isCompletedExceptionally()) {
        grants.add(future.join());
      } else if (!future.cancel(false) && !future.isCompletedExceptionally()) {
        grants.add(future.join());
      }
    }

    private void useGrant() {
      if (!grants.isEmpty()) {
        Grant grant = grants.get(random.nextInt(grants.size()));
        long remaining = grant.remainingBytes();
        if (remaining > 0) {
          held.add(new Held(grant.allocate(1 + random.nextLong(remaining)), ++numbers));
        }
      }
    }

    private void closeGrant() {
      if (!grants.isEmpty()) {
        grants.remove(random.nextInt(grants.size())).close();
      }
    }

    private void replaceHeap() {
      heap.close();
      heap = pool.support().ownedHeap(posted::add);
    }

    private void runPosted() {
      for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
        task.run();
      }
    }
  }
}
