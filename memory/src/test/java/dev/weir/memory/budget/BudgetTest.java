package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BudgetTest {
  private final AtomicLong liveBytes = new AtomicLong();
  private final Budget root = Budget.root("pool", () -> 1_000_000, 5_000, liveBytes::get);
  private final Budget feature = root.child("feature", 1_000);
  private final Budget channel = feature.child("channel", 400);

  @AfterEach
  void invariantsHold() {
    root.checkInvariants();
  }

  @Test
  void aChargeCountsInEveryNodeUpToTheRoot() {
    assertThat(channel.tryCharge(300)).isTrue();
    assertThat(feature.tryCharge(50)).isTrue();

    assertThat(channel.chargedBytes()).isEqualTo(300);
    assertThat(feature.chargedBytes()).isEqualTo(350);
    assertThat(feature.chargedToChildrenBytes()).isEqualTo(300);
    assertThat(root.chargedToChildrenBytes()).isEqualTo(350);
    channel.uncharge(300);
    feature.uncharge(50);
    assertThat(feature.chargedBytes()).isZero();
    assertThat(feature.peakChargedBytes()).isEqualTo(350);
  }

  @Test
  void everyLevelLimits() {
    assertThat(channel.tryCharge(401)).isFalse();
    assertThat(channel.tryCharge(400)).isTrue();
    Budget sibling = feature.child("sibling", Budget.UNLIMITED);
    assertThat(sibling.tryCharge(601)).isFalse();
    assertThat(sibling.chargedBytes()).as("a refused charge leaves nothing").isZero();
    assertThat(sibling.tryCharge(600)).isTrue();
    assertThat(feature.tryCharge(1)).isFalse();

    channel.uncharge(400);
    assertThat(sibling.tryCharge(400)).isTrue();
  }

  @Test
  void aChargeOfAnySizeIsRefusedWithoutOverflow() {
    assertThat(channel.tryCharge(1)).isTrue();
    assertThat(channel.tryCharge(Long.MAX_VALUE)).isFalse();
    Budget open = root.child("open", Budget.UNLIMITED);
    assertThat(open.tryCharge(1)).isTrue();
    assertThat(open.tryCharge(Long.MAX_VALUE)).isFalse();
    assertThat(open.chargedBytes()).isEqualTo(1);
  }

  @Test
  void theNodeThatLimitsIsNamed() {
    assertThat(channel.limiting(401)).isSameAs(channel);
    channel.setLimitBytes(5_000);
    assertThat(channel.limiting(1_001)).isSameAs(feature);
    assertThat(channel.limiting(1_000)).isNull();
    feature.close();
    assertThat(channel.limiting(10)).as("closed").isSameAs(channel);
  }

  @Test
  void theRootTellsWhatItsPoolTells() {
    liveBytes.set(77);

    assertThat(root.chargedBytes()).isEqualTo(77);
    assertThat(root.limitBytes()).isEqualTo(1_000_000);
    assertThat(root.isTracked()).isFalse();
    assertThat(root.tryCharge(Long.MAX_VALUE)).as("pages are its limit").isTrue();
    assertThat(channel.isTracked()).isTrue();
    assertThat(channel.path()).isEqualTo("pool/feature/channel");
    assertThat(channel.parent()).isSameAs(feature);
    assertThatIllegalStateException().isThrownBy(() -> root.setLimitBytes(1));
    assertThatIllegalStateException().isThrownBy(root::close);
  }

  @Test
  void noTwoBudgetsOfDifferentNamesHaveOnePath() {
    Budget outer = root.child("a", Budget.UNLIMITED);

    assertThat(outer.child("b", Budget.UNLIMITED).path()).isEqualTo("pool/a/b");
    assertThat(root.child("a/b", Budget.UNLIMITED).path()).isEqualTo("pool/a%2Fb");
    assertThat(root.child("a%2Fb", Budget.UNLIMITED).path()).isEqualTo("pool/a%252Fb");
    assertThat(root.child("a", Budget.UNLIMITED).number()).isNotEqualTo(outer.number());
  }

  @Test
  void aLoweredLimitTakesEffectAsMemoryIsFreed() {
    assertThat(channel.tryCharge(400)).isTrue();
    channel.setLimitBytes(100);

    assertThat(channel.tryCharge(1)).isFalse();
    channel.uncharge(350);
    assertThat(channel.tryCharge(51)).isFalse();
    assertThat(channel.tryCharge(50)).isTrue();
    channel.uncharge(100);
  }

  @Test
  void heapBuffersAreALedgerOfTheirOwn() {
    feature.setHeapLimitBytes(5_000);
    assertThat(channel.tryChargeHeap(4_000)).as("the limit is the parent's").isTrue();
    assertThat(feature.tryChargeHeap(1_001)).isFalse();
    assertThat(feature.heapBytes()).isEqualTo(4_000);
    assertThat(feature.heldHeapBytes()).isEqualTo(4_000);
    assertThat(channel.chargedBytes()).isZero();

    channel.setHeapLimitBytes(4_100);
    assertThat(channel.tryChargeHeap(101)).isFalse();
    assertThat(channel.tryChargeHeap(100)).isTrue();
    channel.unchargeHeap(4_100);
    assertThat(feature.heapBytes()).isZero();
  }

  @Test
  void aClosedBudgetTakesNothingMoreAndLeavesWithItsLastCharge() {
    assertThat(channel.tryCharge(10)).isTrue();
    assertThat(channel.tryChargeHeap(20)).isTrue();
    channel.close();

    assertThat(channel.tryCharge(1)).isFalse();
    assertThat(channel.tryChargeHeap(1)).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> channel.child("late", 1))
        .withMessageContaining("pool/feature/channel");
    assertThat(feature.children()).containsExactly(channel);
    assertThat(feature.chargedBytes()).isEqualTo(10);
    channel.unchargeHeap(20);
    channel.uncharge(10);

    assertThat(feature.children()).isEmpty();
    assertThat(feature.chargedBytes()).isZero();
  }

  @Test
  void nothingCanBeChargedBelowAClosedBudget() {
    feature.close();

    assertThat(channel.tryCharge(1)).isFalse();
    assertThat(channel.tryChargeHeap(1)).isFalse();
    assertThatIllegalStateException().isThrownBy(() -> channel.child("late", 1));
  }

  @Test
  void aClosedBudgetLeavesWithTheLastChargeOfItsDescendants() {
    assertThat(channel.tryCharge(10)).isTrue();
    feature.close();
    channel.close();
    assertThat(root.children()).containsExactly(feature);

    channel.uncharge(10);

    assertThat(root.children()).isEmpty();
  }

  @Test
  void namesAndLimitsOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> root.child(" ", 1));
    assertThatIllegalArgumentException().isThrownBy(() -> root.child("x".repeat(129), 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> root.child("negative", -1))
        .withMessageContaining("'negative'");
    assertThatIllegalArgumentException().isThrownBy(() -> channel.setLimitBytes(-1));
    assertThat(root.children()).containsExactly(feature);
  }

  @Test
  void manyThreadsEndAtExactlyZeroAndNeverAboveTheLimit() throws Exception {
    Budget[] leaves = {
      channel, feature.child("b", 700), feature.child("c", Budget.UNLIMITED), feature
    };
    AtomicLong refused = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int seed = thread;
        done.add(threads.submit(() -> chargeAndUncharge(leaves, seed, refused)));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }

    assertThat(refused.get()).as("the limits were reached").isPositive();
    for (Budget leaf : leaves) {
      assertThat(leaf.chargedBytes()).isZero();
      assertThat(leaf.peakChargedBytes()).isLessThanOrEqualTo(leaf.limitBytes());
    }
  }

  private void chargeAndUncharge(Budget[] leaves, int seed, AtomicLong refused) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] held = new long[leaves.length];
    for (int step = 0; step < 50_000; step++) {
      int leaf = random.nextInt(leaves.length);
      int bytes = 1 + random.nextInt(200);
      if (held[leaf] > 0 && random.nextBoolean()) {
        leaves[leaf].uncharge(held[leaf]);
        held[leaf] = 0;
      } else if (leaves[leaf].tryCharge(bytes)) {
        held[leaf] += bytes;
      } else {
        refused.incrementAndGet();
      }
      if (feature.chargedBytes() > 1_000) {
        throw new AssertionError("above the limit: " + feature);
      }
    }
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      leaves[leaf].uncharge(held[leaf]);
    }
  }

  /** Where there is none, budgets would stay in the tree. */
  @Test
  void aBudgetIsClosedWithoutJavaHeap() {
    closedBytes(1_000);
    int budgets = 10_000;
    assertThat(closedBytes(budgets)).isLessThan(budgets);
  }

  /** What the closing of so many takes of the Java heap. */
  private long closedBytes(int budgets) {
    Budget[] open = new Budget[budgets];
    for (int i = 0; i < budgets; i++) {
      open[i] = root.child("c", Budget.UNLIMITED);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    threads.getCurrentThreadAllocatedBytes();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < budgets; i++) {
      open[i].close();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
