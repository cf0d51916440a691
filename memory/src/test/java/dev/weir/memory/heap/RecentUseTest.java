package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentUseTest {
  private static final int SIZE_CLASS = 7;

  private final RecentUse demand = new RecentUse();

  @Test
  void asMuchIsKeptAsWasUsedAndOnceARound() {
    demand.use(SIZE_CLASS, 1_000);
    assertThat(demand.keeps(SIZE_CLASS, 1)).as("in the same round").isFalse();
    demand.nextRound();

    assertThat(demand.keeps(SIZE_CLASS, 600)).isTrue();
    assertThat(demand.keeps(SIZE_CLASS, 600)).isFalse();
    assertThat(demand.keeps(SIZE_CLASS, 400)).isTrue();
    assertThat(demand.keeps(SIZE_CLASS + 1, 1)).as("of another class").isFalse();
  }

  @Test
  void aClassThatComesToASlabInEveryEighthRoundIsRemembered() {
    for (int round = 0; round < 64; round++) {
      if (round % 8 == 0) {
        demand.use(SIZE_CLASS, 1_000);
      }
      demand.nextRound();
      assertThat(demand.keeps(SIZE_CLASS, 300)).as("round %d", round).isTrue();
    }
  }

  @Test
  void whatIsNotUsedAnyMoreIsForgotten() {
    demand.use(SIZE_CLASS, 1_000);
    for (int round = 0; round < 24; round++) {
      demand.nextRound();
    }
    assertThat(demand.keeps(SIZE_CLASS, 50)).isFalse();
  }
}
