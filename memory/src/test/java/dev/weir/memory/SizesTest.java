package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sizes at the ends of what there is, on real addresses, of which hardly any is touched. */
class SizesTest {
  private static final long GIB = 1L << 30;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 * GIB).withName("pool").withDecay(Duration.ofDays(1)));
  private final OwnedHeap heap = pool.support().ownedHeap(task -> {});

  @AfterEach
  void everythingGoesBack() {
    heap.close();
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  private static void touchEnds(Block block, long bytes) {
    MemorySegment segment = block.segment();
    assertThat(segment.byteSize()).isEqualTo(block.size()).isGreaterThanOrEqualTo(bytes);
    segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    segment.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 2);
    assertThat(segment.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 2);
  }

  @Test
  void nothingIsABlockToo() {
    try (Block shared = pool.allocate(0);
        Block owned = pool.support().allocateBlock(heap, 0, pool.rootBudget())) {
      assertThat(shared.size()).isEqualTo(16);
      assertThat(owned.size()).isEqualTo(16);
      assertThat(owned.address()).isNotEqualTo(shared.address());
    }
  }

  @Test
  void blocksMayBeLargerThanAnIntegerCounts() {
    long bytes = Integer.MAX_VALUE + 2L;
    Budget feature = pool.rootBudget().child("feature", 7 * GIB);
    try (Block block = pool.allocate(bytes)) {
      touchEnds(block, bytes);
    }
    try (Block block = pool.allocateGrowing(bytes, feature)) {
      touchEnds(block, bytes);
      assertThat(feature.chargedBytes()).isEqualTo(block.size());
      assertThat(block.tryGrow(6 * GIB)).isTrue();
      touchEnds(block, 6 * GIB);
      assertThat(block.tryGrow(7 * GIB + 1)).as("more than its budget").isFalse();
      assertThat(pool.tryAllocate(2 * GIB)).as("more than the pool").isNull();
    }
    try (BlockScope scope = new BlockScope(pool)) {
      assertThat(scope.allocate(3 * GIB, 4_096).byteSize()).isEqualTo(3 * GIB);
    }
    Grant grant = pool.grant(5 * GIB, Duration.ZERO).join();
    try (Block block = grant.allocate(5 * GIB)) {
      touchEnds(block, 5 * GIB);
    }
    grant.close();
  }

  @Test
  void moreThanTheLimitIsRefusedHoweverMuch() {
    for (long bytes :
        new long[] {8 * GIB + 1, 1L << 44, 1L << 62, (1L << 62) + 1, Long.MAX_VALUE}) {
      assertThat(pool.tryAllocate(bytes)).isNull();
      assertThat(pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget())).isNull();
      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> pool.allocate(bytes))
          .withMessageContaining(
              "budget 'pool' has no room for %,d bytes of direct memory".formatted(bytes))
          .withMessageContaining("8,589,934,592");
      assertThat(pool.grant(bytes, Duration.ZERO))
          .isCompletedExceptionally()
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableThat()
          .withCauseInstanceOf(BudgetExceededError.class);
      try (BlockScope scope = new BlockScope(pool)) {
        assertThatExceptionOfType(BudgetExceededError.class)
            .isThrownBy(() -> scope.allocate(bytes, 64));
      }
    }
    try (Block block = pool.allocate(100_000)) {
      assertThat(block.tryGrow(Long.MAX_VALUE)).isFalse();
      assertThat(block.tryGrow((1L << 62) + 1)).isFalse();
      assertThat(block.tryGrow(-1)).as("it is that large already").isTrue();
      assertThat(block.size()).isEqualTo(102_400);
    }
  }

  @Test
  void negativeSizesAreNamed() {
    for (long bytes : new long[] {-1, Integer.MIN_VALUE, Long.MIN_VALUE}) {
      String named = Long.toString(bytes);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.allocate(bytes))
          .withMessage("size is negative: " + named);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget()))
          .withMessage("size is negative: " + named);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.grant(bytes, Duration.ZERO))
          .withMessageContaining(named);
      try (BlockScope scope = new BlockScope(pool)) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> scope.allocate(bytes, 1))
            .withMessageContaining(named);
      }
    }
  }

  @Test
  void alignmentsThatAreNoPowerOfTwoAreNamed() {
    try (BlockScope scope = new BlockScope(pool)) {
      for (long alignment : new long[] {Long.MIN_VALUE, -8, 0, 3, 24, 8_191, Long.MAX_VALUE}) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> scope.allocate(100, alignment))
            .withMessageContaining(Long.toString(alignment))
            .withMessageContaining("not a power of two");
      }
      for (long alignment : new long[] {131_072, 1L << 40, 1L << 62}) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> scope.allocate(100, alignment))
            .withMessageContaining(Long.toString(alignment))
            .withMessageContaining("65536");
      }
    }
  }

  @Test
  void limitsBelowTheSmallestAreNamed() {
    for (long bytes : new long[] {Long.MIN_VALUE, -1, 0, PoolOptions.MIN_LIMIT_BYTES - 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> PoolOptions.withLimit(bytes))
          .withMessage("limit of %,d bytes is below the smallest, 1,048,576".formatted(bytes));
    }
    try (Pool smallest = Pool.create(PoolOptions.withLimit(PoolOptions.MIN_LIMIT_BYTES));
        Block block = smallest.allocate(1)) {
      assertThat(block.size()).isEqualTo(16);
    }
  }
}
