package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BudgetExceededErrorTest {
  private final Budget root = Budget.root("pool", () -> 1_000_000, 0, () -> 0);
  private final Budget feature = root.child("feature", 999);

  @Test
  void theMessageNamesPathLimitRequestAndTheThreeLargestChildren() {
    for (int i = 1; i <= 4; i++) {
      assertThat(feature.child("child-" + i, 500).tryCharge(i * 10)).isTrue();
    }

    BudgetExceededError error = new BudgetExceededError(feature, 901, "charged 100");

    assertThat(error.getMessage())
        .contains("'pool/feature'")
        .contains("no room for 901 bytes of direct memory")
        .contains("limit 999, charged 100")
        .contains("largest children: child-4 40, child-3 30, child-2 20")
        .doesNotContain("child-1");
    assertThat(error.budget()).isSameAs(feature);
    assertThat(error.requestedBytes()).isEqualTo(901);
  }

  @Test
  void withoutChildrenNoneAreNamed() {
    assertThat(new BudgetExceededError(feature, 5, "charged 0").getMessage())
        .doesNotContain("children");
  }

  @Test
  void whatHasNoLimitSaysSo() {
    Budget unlimited = root.child("unlimited", Budget.UNLIMITED);
    assertThat(new BudgetExceededError(unlimited, 5, "charged 0").getMessage())
        .contains("limit none, charged 0")
        .contains("Raise the limit");
  }

  /** No limit would help. */
  @Test
  void aClosedBudgetIsNotToBeRaised() {
    feature.close();
    assertThat(new BudgetExceededError(feature, 5, "charged 0").getMessage())
        .isEqualTo(
            "budget 'pool/feature' has no room for 5 bytes of direct memory: closed, charged 0."
                + " It stays so: charge another budget.");
  }

  /** Sums that change while they are sorted must not disturb the sorting. */
  @Test
  void anErrorCanBeMadeWhileChildrenCharge() throws InterruptedException {
    Budget[] children = new Budget[500];
    for (int i = 0; i < children.length; i++) {
      children[i] = root.child("child-" + i, Budget.UNLIMITED);
    }
    Thread charger =
        Thread.ofPlatform()
            .start(() -> {
              SplittableRandom random = new SplittableRandom(1);
              long[] charged = new long[children.length];
              while (!Thread.currentThread().isInterrupted()) {
                int i = random.nextInt(children.length);
                children[i].uncharge(charged[i]);
                charged[i] = random.nextInt(1_000);
                children[i].tryCharge(charged[i]);
              }
            });
    try {
      for (int i = 0; i < 300; i++) {
        assertThat(root.largestChildren(3).top()).hasSize(3);
        assertThat(new BudgetExceededError(root, 1, "x").getMessage()).contains("largest children");
      }
    } finally {
      charger.interrupt();
      charger.join();
    }
  }
}
