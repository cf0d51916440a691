package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.server.console.RoundingEstimates.Estimate;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundingEstimatesTest {
  /** Of 1,000 bytes that were asked for, in a slot of 1,024, and of a page of which 96 were. */
  private final RoundingEstimates estimates =
      RoundingEstimates.of(
          new LiveProfile(
              512 << 10,
              0,
              List.of(
                  sample("node/a/x", 1_024, 1_000, 100),
                  sample("node/a/y", 1_024, 512, 100),
                  sample("node/ab", 4_096, 96, 1))));

  private static LiveBlocks sample(String budget, long bytes, long requested, double blocks) {
    return new LiveBlocks(budget, bytes, requested, blocks, 0, List.of());
  }

  @Test
  void whatIsChargedIsSplitAsTheSamplesAre() {
    assertThat(estimates.ofBudget("node/a/y", 10_000)).isEqualTo(new Estimate(5_000, 5_000, 1));
    assertThat(estimates.ofBudget("node/ab", 4_096)).isEqualTo(new Estimate(96, 4_000, 1));
  }

  @Test
  void aBudgetHasThoseBelowItAndNotThoseOfASimilarName() {
    Estimate a = estimates.ofBudget("node/a", 204_800);
    assertThat(a).isEqualTo(new Estimate(151_200, 53_600, 2));
    Estimate all = estimates.ofBudget("node", 208_896);
    assertThat(all).isEqualTo(new Estimate(151_296, 57_600, 3));
  }

  @Test
  void aSlashInANameLeadsToNoOtherBudget() {
    PoolOptions options = PoolOptions.withLimit(64 << 20).withProfile(4 << 10);
    try (Pool pool = Pool.create(options)) {
      Budget outer = pool.rootBudget().child("a", Budget.UNLIMITED);
      Budget slashed = pool.rootBudget().child("a/b", Budget.UNLIMITED);
      Block block = pool.allocate(16 << 20, slashed);
      RoundingEstimates seen = RoundingEstimates.of(pool.profile());
      block.release();
      assertThat(seen.ofBudget(slashed.path(), 1)).isEqualTo(new Estimate(1, 0, 1));
      assertThat(seen.ofBudget(outer.path(), 1)).isNull();
    }
  }

  @Test
  void aSizeHasTheBlocksOfAllBudgets() {
    assertThat(estimates.ofSize(1_024, 1_024)).isEqualTo(new Estimate(756, 268, 2));
  }

  @Test
  void withoutASampleNothingIsKnown() {
    assertThat(estimates.ofBudget("node/b", 4_096)).isNull();
    assertThat(estimates.ofSize(64, 6_400)).isNull();
    assertThat(RoundingEstimates.NONE.ofBudget("node", 1)).isNull();
    assertThat(estimates.ofBudget("node", 0)).isEqualTo(new Estimate(0, 0, 3));
  }
}
