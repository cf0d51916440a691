package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.GrowingRun;
import dev.weir.memory.heap.SizeClasses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Growing blocks for those who can do without: nobody is asked for room. */
class GrowingAtOnceTest {
  private static final long FIRST = SizeClasses.MAX_SLOT_BYTES + 1;

  private static boolean tryGrow(Block block, long bytes) {
    return block.tryGrow(
        bytes, (home, minBytes, budget) -> ((GrowingRun) home).tryGrowAtOnce(minBytes, budget));
  }

  @Test
  void aBlockGrowsWhereItLies() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(64 << 20))) {
      Block block = pool.tryAllocateGrowingAtOnce(FIRST, pool.rootBudget());
      assertThat(block).isNotNull();
      long address = block.address();
      for (long bytes = 128 << 10; bytes <= 4 << 20; bytes += 64 << 10) {
        assertThat(tryGrow(block, bytes)).isTrue();
        assertThat(block.size()).isEqualTo(bytes);
        assertThat(block.address()).isEqualTo(address);
      }
      block.release();
      pool.checkInvariants();
    }
  }

  @Test
  void atALimitNobodyIsAskedAndNoRefusalIsCounted() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20))) {
      int[] asked = new int[1];
      Budget budget = pool.rootBudget().child("part", 1 << 20);
      pool.addReclaimer(
          pool.rootBudget(),
          1,
          bytes -> {
            asked[0]++;
            return 0;
          });
      List<Block> blocks = new ArrayList<>();
      for (Block block = pool.tryAllocateGrowingAtOnce(FIRST, budget);
          block != null;
          block = pool.tryAllocateGrowingAtOnce(FIRST, budget)) {
        blocks.add(block);
      }
      assertThat(budget.chargedBytes()).isGreaterThan(900 << 10);
      assertThat(tryGrow(blocks.getFirst(), 1 << 20)).isFalse();
      for (Block block = pool.tryAllocateGrowingAtOnce(1 << 20, pool.rootBudget());
          block != null;
          block = pool.tryAllocateGrowingAtOnce(1 << 20, pool.rootBudget())) {
        blocks.add(block);
      }
      assertThat(pool.rootBudget().chargedBytes()).isGreaterThan(2 << 20);
      assertThat(asked[0]).isZero();
      assertThat(pool.refusals()).isZero();
      blocks.forEach(Block::release);
      assertThat(budget.chargedBytes()).isZero();
      pool.checkInvariants();
    }
  }

  @Test
  void aSlotIsRefused() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20))) {
      assertThatThrownBy(
              () -> pool.tryAllocateGrowingAtOnce(SizeClasses.MAX_SLOT_BYTES, pool.rootBudget()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot grow");
    }
  }
}
