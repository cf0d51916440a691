package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.testing.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that grow by one grant after another. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrantGrowthTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 64 * MIB;

  private final FakeNativeMemory os = new FakeNativeMemory();

  private static Pool pool(NativeMemory memory) {
    return Pool.create(
        PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(memory));
  }

  private static Grant grant(Pool pool, long bytes, Budget budget) {
    return pool.grant(bytes, Duration.ZERO, budget).join();
  }

  private static Block begin(Pool pool, long bytes, Budget budget) {
    try (Grant grant = grant(pool, bytes, budget)) {
      return grant.allocateGrowing(bytes);
    }
  }

  /** Nothing is left, of the lane of small promises neither. */
  private static void end(Pool pool) {
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    assertThat(pool.rootBudget().chargedBytes()).isZero();
    pool.close();
  }

  @Test
  void aBlockGrowsByGrantsThroughRoomsAndItsChargeIsItsSize() {
    Pool pool = pool(NativeMemory.system());
    Budget uploads = pool.rootBudget().child("uploads", LIMIT_BYTES);
    Block block = begin(pool, 64 * KIB, uploads);
    Patterns.fill(block, 1);
    for (int step = 2; block.size() < 20 * MIB; step++) {
      long size = block.size();
      long moreBytes = step % 3 == 0 ? 16 * KIB : size;
      try (Grant grant = grant(pool, moreBytes + MIB, uploads)) {
        assertThat(grant.tryGrow(block, size + moreBytes)).isTrue();
        assertThat(grant.remainingBytes()).isEqualTo(MIB);
      }
      assertThat(block.size()).isEqualTo(size + moreBytes);
      assertThat(uploads.chargedBytes()).isEqualTo(block.size());
      assertThat(pool.liveBlockBytes()).isEqualTo(block.size());
      Patterns.verify(block, step - 1, size);
      Patterns.fill(block, step);
    }
    block.release();
    end(pool);
  }

  @Test
  void whatWasGrantedIsThereThoughThePoolIsFullOfOthers() {
    Pool pool = pool(os);
    Block block = begin(pool, 64 * KIB, pool.rootBudget());
    Grant grant = grant(pool, 8 * MIB, pool.rootBudget());
    List<Block> others = new ArrayList<>();
    for (Block other = pool.tryAllocate(300_000); other != null; ) {
      others.add(other);
      other = pool.tryAllocate(300_000);
    }
    assertThat(block.tryGrow(MIB)).isFalse();

    assertThat(grant.tryGrow(block, 2 * MIB)).isTrue();
    assertThat(grant.tryGrow(block, 8 * MIB)).as("to a longer room").isTrue();

    assertThat(pool.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    grant.close();
    block.release();
    others.forEach(Block::release);
    end(pool);
  }

  /** A small promise that has become part of a block counts as one until the block is released. */
  @Test
  void growthBySmallGrantsCountsInTheirShareUntilTheRelease() {
    Pool pool = pool(os);
    Block block = begin(pool, 64 * KIB, pool.rootBudget());
    while (block.size() < LIMIT_BYTES / 16) {
      try (Grant small = grant(pool, 64 * KIB, pool.rootBudget())) {
        assertThat(small.tryGrow(block, block.size() + 64 * KIB)).isTrue();
      }
    }
    // What lies in their share takes nothing from larger ones.
    grant(pool, largestGrant(pool), pool.rootBudget()).close();
    assertThat(pool.grant(largestGrant(pool) + 4096, Duration.ZERO)).isCompletedExceptionally();
    block.release();
    grant(pool, largestGrant(pool), pool.rootBudget()).close();
    end(pool);
  }

  private static long largestGrant(Pool pool) {
    return LIMIT_BYTES - LIMIT_BYTES / 16 - pool.slackBytes() - (2 << 20);
  }

  @Test
  void moreThanIsLeftIsRefusedAndNothingHasHappened() {
    Pool pool = pool(os);
    Budget uploads = pool.rootBudget().child("uploads", LIMIT_BYTES);
    Block block = begin(pool, 64 * KIB, uploads);
    try (Grant grant = grant(pool, 64 * KIB, uploads);
        Grant ofOthers = grant(pool, MIB, pool.rootBudget())) {
      assertThat(grant.tryGrow(block, 64 * KIB)).as("nothing to do").isTrue();
      assertThatIllegalStateException()
          .isThrownBy(() -> grant.tryGrow(block, 128 * KIB + 1))
          .withMessageContaining("left");
      assertThatIllegalStateException().isThrownBy(() -> grant.tryGrow(block, Long.MAX_VALUE / 2));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ofOthers.tryGrow(block, 128 * KIB))
          .withMessageContaining("uploads");
      assertThat(grant.remainingBytes()).isEqualTo(64 * KIB);
      assertThat(ofOthers.remainingBytes()).isEqualTo(MIB);
      assertThat(block.size()).isEqualTo(64 * KIB);
      block.release();
      assertThatIllegalStateException().isThrownBy(() -> grant.tryGrow(block, 128 * KIB));
    }
    end(pool);
  }

  @Test
  void whatCannotGrowSaysSo() {
    Pool pool = pool(os);
    Grant grant = grant(pool, MIB, pool.rootBudget());
    Block small = grant.allocateGrowing(32 * KIB);
    Block run = grant.allocate(64 * KIB);
    Block slot = pool.allocate(100);
    long remaining = grant.remainingBytes();
    for (Block block : List.of(small, run, slot)) {
      assertThat(grant.tryGrow(block, block.size())).isTrue();
      assertThat(grant.tryGrow(block, block.size() + 1)).isFalse();
      assertThat(grant.remainingBytes()).isEqualTo(remaining);
      block.release();
    }
    grant.close();
    end(pool);
  }

  @Test
  void aHardenedBlockCannotGrow() {
    Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withHardening(Hardening.full()));
    Grant grant = grant(pool, MIB, pool.rootBudget());
    Block block = grant.allocateGrowing(100_000);
    assertThat(block.history()).isNotNull();
    long remaining = grant.remainingBytes();
    assertThat(grant.tryGrow(block, 200_000)).isFalse();
    assertThat(grant.remainingBytes()).isEqualTo(remaining);
    block.release();
    grant.close();
    end(pool);
  }

  @Test
  void aBlockThatWouldHaveToBeCopiedNeedsRoomForBoth() {
    Pool pool = pool(os);
    os.failMoves(true);
    Block block = begin(pool, 4 * MIB, pool.rootBudget());
    Grant grant = grant(pool, 8 * MIB, pool.rootBudget());
    Block others = pool.allocate(50 * MIB);

    assertThat(grant.tryGrow(block, 8 * MIB)).isFalse();
    assertThat(grant.remainingBytes()).isEqualTo(8 * MIB);
    assertThat(pool.snapshot().promisedBytes()).isEqualTo(8 * MIB);

    others.release();
    assertThat(grant.tryGrow(block, 8 * MIB)).isTrue();
    assertThat(grant.remainingBytes()).isEqualTo(4 * MIB);
    grant.close();
    block.release();
    end(pool);
  }

  @Test
  void aPromiseIsKeptAboveALimitThatWasLowered() {
    Pool pool = pool(os);
    Block block = begin(pool, 2 * MIB, pool.rootBudget());
    Grant grant = grant(pool, 20 * MIB, pool.rootBudget());
    Block others = pool.allocate(10 * MIB);
    pool.setLimitBytes(8 * MIB);

    assertThat(grant.tryGrow(block, 4 * MIB)).isTrue();
    assertThat(grant.tryGrow(block, 20 * MIB)).isTrue();

    others.release();
    grant.close();
    block.release();
    end(pool);
  }

  @Test
  void anOpenGrantGrowsABlockOfAPoolThatIsClosed() {
    Pool pool = pool(os);
    Block block = begin(pool, 64 * KIB, pool.rootBudget());
    Grant grant = grant(pool, 8 * MIB, pool.rootBudget());
    pool.close();
    assertThat(grant.tryGrow(block, 8 * MIB)).isTrue();
    grant.close();
    block.release();
    assertThat(pool.liveBlockBytes()).isZero();
  }
}
