package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockScopeTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(32 << 20).withDecay(Duration.ofDays(1)));

  @AfterEach
  void everythingIsReleased() {
    assertThat(pool.liveBlockBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void segmentsHaveTheSizeAndAlignmentAskedFor() {
    try (BlockScope scope = new BlockScope(pool)) {
      for (int size : new int[] {0, 1, 17, 100, 3_000, 5_000, 40_000, 65_536, 65_537, 300_000}) {
        for (int alignment = 1; alignment <= BlockScope.MAX_ALIGNMENT_BYTES; alignment *= 2) {
          MemorySegment segment = scope.allocate(size, alignment);
          assertThat(segment.byteSize()).isEqualTo(size);
          assertThat(segment.address() % alignment).as("%d bytes on %d", size, alignment).isZero();
          segment.fill((byte) 1);
        }
        if (size == 40_000) {
          assertThat(pool.liveBlockBytes()).isPositive();
        }
      }
    }
  }

  @Test
  void aScopeIsASegmentAllocator() {
    try (BlockScope scope = new BlockScope(pool)) {
      assertThat(scope.allocateFrom("weir").getString(0)).isEqualTo("weir");
      assertThat(scope.allocateFrom(ValueLayout.JAVA_LONG, 5, 6).byteSize()).isEqualTo(16);
    }
  }

  @Test
  void aScopeChargesTheBudgetUntilItIsClosed() {
    Budget budget = pool.rootBudget().child("scope", 4_096);
    BlockScope scope = new BlockScope(pool, budget);
    scope.allocate(1_000, 1);

    assertThat(budget.chargedBytes()).isEqualTo(1_024);
    assertThatExceptionOfType(BudgetExceededError.class).isThrownBy(() -> scope.allocate(4_000, 1));
    scope.close();
    assertThat(budget.chargedBytes()).isZero();
    scope.close();
    assertThatIllegalStateException().isThrownBy(() -> scope.allocate(1, 1));
  }

  @Test
  void whatFailsToBeReleasedKeepsNothingElse() {
    List<Block> blocks = new ArrayList<>();
    BlockScope scope = new BlockScope(pool, pool.rootBudget(), blocks);
    for (int i = 0; i < 5; i++) {
      scope.allocate(100, 1);
    }
    blocks.get(1).release();

    assertThatIllegalStateException().isThrownBy(scope::close);
    assertThat(pool.liveBlockBytes()).isZero();
    scope.close();
  }

  @Test
  void badSizesAndAlignmentsAreRefused() {
    try (BlockScope scope = new BlockScope(pool)) {
      assertThatIllegalArgumentException().isThrownBy(() -> scope.allocate(-1, 1));
      assertThatIllegalArgumentException().isThrownBy(() -> scope.allocate(1, 0));
      assertThatIllegalArgumentException().isThrownBy(() -> scope.allocate(1, 3));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scope.allocate(1, BlockScope.MAX_ALIGNMENT_BYTES * 2L))
          .withMessageContaining("131072");
    }
  }
}
