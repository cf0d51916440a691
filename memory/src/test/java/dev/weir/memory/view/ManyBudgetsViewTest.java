package dev.weir.memory.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Workers;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long a look at a pool with a budget for each connection takes, and how long others wait for
 * it: printed, not asserted.
 */
class ManyBudgetsViewTest {
  private static final int LOOKS = 20;
  private static final int CHARGES = 1_000_000;
  private static final long LONG_NANOS = 100_000;

  @ParameterizedTest
  @ValueSource(ints = {10_000, 100_000})
  void everyConnectionCounts(int count) throws InterruptedException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(1L << 30).withName("large"))) {
      Budget connections = pool.rootBudget().child("connections", Budget.UNLIMITED);
      Budget[] each = new Budget[count];
      long all = 0;
      for (int i = 0; i < count; i++) {
        each[i] = connections.child("connection " + i, Budget.UNLIMITED);
        assertThat(each[i].tryCharge(i)).isTrue();
        all += i;
      }
      pool.allocate(1).release();
      for (int look = 0; look < LOOKS; look++) {
        pool.view(MapWindow.NOTHING);
      }
      charges(each);
      AtomicLong looks = new AtomicLong();
      // With both of two processors at work, the system takes its time from somebody.
      long[] alone = chargesBeside(each, Thread::onSpinWait);
      long[] beside =
          chargesBeside(
              each,
              () -> {
                pool.view(MapWindow.NOTHING);
                looks.incrementAndGet();
              });
      long[] nanos = new long[LOOKS];
      for (int look = 0; look < LOOKS; look++) {
        long start = System.nanoTime();
        PoolView view = pool.view(MapWindow.NOTHING);
        nanos[look] = System.nanoTime() - start;
        BudgetView shown = view.budgets().children().getFirst();
        assertThat(shown.chargedBytes()).isEqualTo(all);
        assertThat(shown.children()).hasSize(BudgetView.MAX_CHILDREN);
        assertThat(shown.children().getFirst().chargedBytes()).isEqualTo(count - 1);
        assertThat(shown.children().getLast().chargedBytes())
            .isEqualTo(count - BudgetView.MAX_CHILDREN);
        assertThat(shown.otherChildren()).isEqualTo(count - BudgetView.MAX_CHILDREN);
        assertThat(shown.ownBytes()).isZero();
      }
      Arrays.sort(nanos);
      System.out.printf(
          "a look at %,d budgets: %.2f ms; a charge and its end beside one who computes: %s; beside"
              + " %,d looks: %s%n",
          count, nanos[LOOKS / 2] / 1e6, figures(alone), looks.get(), figures(beside));
      for (int i = 0; i < count; i++) {
        each[i].uncharge(i);
      }
    }
  }

  private static long[] chargesBeside(Budget[] each, Runnable other) throws InterruptedException {
    AtomicBoolean charging = new AtomicBoolean(true);
    long[] nanos = new long[CHARGES];
    Workers workers = new Workers();
    workers.platform(() -> {
      try {
        System.arraycopy(charges(each), 0, nanos, 0, CHARGES);
      } finally {
        charging.set(false);
      }
    });
    while (charging.get()) {
      other.run();
    }
    workers.join();
    return nanos;
  }

  private static long[] charges(Budget[] each) {
    SplittableRandom random = new SplittableRandom(1);
    long[] nanos = new long[CHARGES];
    for (int i = 0; i < CHARGES; i++) {
      Budget budget = each[random.nextInt(each.length)];
      long start = System.nanoTime();
      budget.tryCharge(100);
      budget.uncharge(100);
      nanos[i] = System.nanoTime() - start;
    }
    return nanos;
  }

  private static String figures(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return "%.0f ns on average, p99.9 %,d ns, p99.99 %,d ns, longest %,d us, %d above 100 us"
        .formatted(
            Arrays.stream(sorted).average().orElse(0),
            sorted[(int) (sorted.length * 0.999)],
            sorted[(int) (sorted.length * 0.9999)],
            sorted[sorted.length - 1] / 1_000,
            Arrays.stream(sorted).filter(each -> each > LONG_NANOS).count());
  }
}
