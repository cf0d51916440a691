package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.Block;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
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
  void aRunGrowsAndShrinksInPlaceWithItsCharge() {
    Block block = pool.allocate(100_000, budget);
    long address = block.address();
    assertThat(block.tryGrow(200_000)).isTrue();
    assertThat(block.address()).isEqualTo(address);
    assertThat(block.size()).isEqualTo(204_800);
    assertThat(budget.chargedBytes()).isEqualTo(204_800);
    assertThat(block.tryGrow(204_800)).as("large enough").isTrue();

    assertThat(block.tryGrow(2 << 20)).as("more than its budget").isFalse();
    assertThat(block.tryGrow(Long.MAX_VALUE)).isFalse();
    assertThat(block.size()).isEqualTo(204_800);

    assertThat(block.tryShrink(10_000)).isTrue();
    assertThat(block.size()).isEqualTo(16_384);
    assertThat(budget.chargedBytes()).isEqualTo(16_384);
    assertThat(block.tryShrink(10_000)).as("nothing to give").isFalse();
    block.release();
  }

  @Test
  void aRunKeepsWhatMustStay() {
    try (Block block = pool.allocate(100_000, budget)) {
      long size = block.size();

      assertThat(block.tryShrink(size)).isFalse();
      assertThat(block.tryShrink(size + 1)).isFalse();
      assertThat(block.tryShrink(Long.MAX_VALUE)).isFalse();
      assertThat(block.size()).isEqualTo(size);
      assertThat(block.tryShrink(0)).isTrue();
      assertThat(block.size()).isEqualTo(8192);
    }
  }

  @Test
  void aRunDoesNotGrowIntoItsNeighbour() {
    try (Block block = pool.allocate(100_000);
        Block neighbour = pool.allocate(100_000)) {
      assertThat(neighbour.address()).isEqualTo(block.address() + block.size());
      assertThat(block.tryGrow(block.size() + 1)).isFalse();
      assertThat(neighbour.tryGrow(neighbour.size() + 1)).isTrue();
    }
  }

  @Test
  void aSlotNeitherGrowsNorShrinks() {
    try (Block block = pool.allocate(1_000, budget)) {
      assertThat(block.tryGrow(1_024)).isTrue();
      assertThat(block.tryGrow(1_025)).isFalse();
      assertThat(block.tryShrink(1)).isFalse();
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
      assertThatIllegalStateException().isThrownBy(() -> block.tryShrink(1));
      assertThat(budget.chargedBytes()).isZero();
    }
  }

  @Test
  void anAttachmentStaysWithItsSlot() {
    Block block = pool.allocate(1_000);
    block.attachment("buffer");
    block.release();

    Block again = pool.allocate(1_000);
    assertThat(again).isSameAs(block);
    assertThat(again.attachment()).isEqualTo("buffer");
    again.release();
  }
}
