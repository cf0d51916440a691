package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.BlockFactory;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One block from its beginning to its end, and what is refused after that. */
class BlockTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 << 20).withDecay(Duration.ofDays(1)));
  private final Budget budget = pool.rootBudget().child("budget", 1 << 20);

  @AfterEach
  void everythingIsReleased() {
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(budget.chargedBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void aSegmentCoversTheBlock() {
    for (int bytes : new int[] {0, 1, 100, 5_000, 65_536, 65_537, 1 << 20}) {
      try (Block block = pool.allocate(bytes)) {
        assertThat(block.size()).isGreaterThanOrEqualTo(Math.max(1, bytes));
        assertThat(block.address() % 16).isZero();
        assertThat(block.segment().byteSize()).isEqualTo(block.size());
        assertThat(block.segment().address()).isEqualTo(block.address());
        block.segment().fill((byte) 7);
        assertThat(block.segment().get(ValueLayout.JAVA_BYTE, block.size() - 1))
            .isEqualTo((byte) 7);
      }
    }
  }

  @Test
  void aGrowingBlockGrowsInPlaceWithItsCharge() {
    Block block = pool.allocateGrowing(100_000, budget);
    long address = block.address();
    assertThat(block.tryGrow(200_000)).isTrue();
    assertThat(block.address()).isEqualTo(address);
    assertThat(block.size()).isEqualTo(200_704);
    assertThat(budget.chargedBytes()).isEqualTo(200_704);
    assertThat(block.tryGrow(200_704)).as("large enough").isTrue();

    assertThat(block.tryGrow(2 << 20)).as("more than its budget").isFalse();
    assertThat(block.tryGrow(Long.MAX_VALUE)).isFalse();
    assertThat(block.size()).isEqualTo(200_704);

    block.release();
    assertThat(budget.chargedBytes()).isZero();
  }

  @Test
  void growingBlocksDoNotStandInEachOthersWay() {
    try (Block block = pool.allocateGrowing(100_000, pool.rootBudget());
        Block neighbour = pool.allocateGrowing(100_000, pool.rootBudget())) {
      for (int bytes = 200_000; bytes <= 3_200_000; bytes *= 2) {
        assertThat(block.tryGrow(bytes)).isTrue();
        assertThat(neighbour.tryGrow(bytes)).isTrue();
      }
      assertThat(block.tryGrow(6_400_000)).as("more than the limit has left").isFalse();
    }
  }

  @Test
  void aRunDoesNotGrow() {
    try (Block block = pool.allocate(100_000)) {
      assertThat(block.tryGrow(102_400)).as("its last page").isTrue();
      assertThat(block.tryGrow(106_497)).isFalse();
    }
  }

  @Test
  void aSmallBlockThatIsToGrowIsASlotAtFirst() {
    try (Block block = pool.allocateGrowing(1_000, budget)) {
      assertThat(block.size()).isEqualTo(1_024);
      assertThat(block.tryGrow(1_025)).isFalse();
    }
    assertThatThrownBy(() -> pool.allocateGrowing(9 << 20, pool.rootBudget()))
        .isInstanceOf(BudgetExceededError.class);
    assertThatThrownBy(() -> pool.allocateGrowing(-1, pool.rootBudget()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSlotDoesNotGrow() {
    try (Block block = pool.allocate(1_000, budget)) {
      assertThat(block.tryGrow(1_024)).isTrue();
      assertThat(block.tryGrow(1_025)).isFalse();
      assertThat(block.size()).isEqualTo(1_024);
    }
  }

  @Test
  void aReleasedBlockIsRefused() {
    for (int bytes : new int[] {1_000, 100_000}) {
      Block block = pool.allocate(bytes, budget);
      block.release();

      assertThatIllegalStateException()
          .isThrownBy(block::release)
          .withMessageContaining("released already");
      assertThatIllegalStateException().isThrownBy(block::segment);
      assertThatIllegalStateException().isThrownBy(() -> block.tryGrow(1 << 20));
      assertThat(budget.chargedBytes()).isZero();
    }
  }

  @Test
  void aSlotKeepsItsBlock() {
    Block block = pool.allocate(1_000);
    block.release();

    Block again = pool.allocate(1_000, budget);
    assertThat(again).isSameAs(block);
    assertThat(again.budget()).isSameAs(budget);
    again.release();
  }

  @Test
  void aBlockThatWasHandedOverIsReleasedForItsFormerHolder() {
    for (int bytes : new int[] {1_000, 100_000}) {
      Block block = pool.allocate(bytes, budget);
      long charged = budget.chargedBytes();
      BlockFactory<Long> heir =
          (home, number, found) -> {
            assertThat(found).isNull();
            assertThat(home.blockBytes()).isEqualTo(charged);
            home.free(number);
            return home.blockAddress(number);
          };
      long address = block.address();

      assertThat(block.handOverTo(heir)).isEqualTo(address);
      assertThatIllegalStateException().isThrownBy(block::release);
      assertThatIllegalStateException().isThrownBy(() -> block.handOverTo(heir));
      assertThat(budget.chargedBytes()).as("the charge is the heir's").isEqualTo(charged);
      budget.uncharge(charged);
    }
  }

  @Test
  void whatTheFactoryThrowsUndoesTheAllocation() {
    IllegalStateException refused = new IllegalStateException("no object to be had");
    BlockFactory<Object> factory =
        (home, number, found) -> {
          throw refused;
        };
    for (long bytes : new long[] {1_000, 100_000}) {
      assertThatThrownBy(() -> pool.support().allocate(null, bytes, budget, factory))
          .isSameAs(refused);
      assertThatThrownBy(() -> pool.support().allocateGrowing(null, null, bytes, budget, factory))
          .isSameAs(refused);
    }
    assertThat(budget.chargedBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aBudgetOfAnotherPoolIsRefused() {
    try (Pool other = Pool.create(PoolOptions.withLimit(1 << 20))) {
      Budget foreign = other.rootBudget().child("elsewhere", 1 << 20);
      for (Budget each : List.of(foreign, other.rootBudget())) {
        assertThatThrownBy(() -> pool.allocate(100, each))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(each.path());
      }
    }
  }
}
