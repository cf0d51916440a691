package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits that change, above all to less than what is live. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LoweredLimitTest {
  private static final long MIB = 1 << 20;
  private static final int[] SIZES = {100, 4_096, 65_536, 300_000};

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 * MIB).withName("pool").withDecay(Duration.ofDays(1)));
  private final List<Block> live = new ArrayList<>();
  private final OwnedHeap heap = pool.support().ownedHeap(task -> {});

  @AfterEach
  void everythingGoesBack() {
    live.forEach(Block::release);
    heap.close();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  private void fill() {
    for (int i = 0; ; i++) {
      int bytes = SIZES[i % SIZES.length];
      Block block =
          i % 3 == 0
              ? pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget())
              : pool.tryAllocate(bytes);
      if (block == null) {
        return;
      }
      Patterns.fill(block, live.size());
      live.add(block);
    }
  }

  private @Nullable Block tryEverySize() {
    for (int bytes : SIZES) {
      Block block = pool.tryAllocate(bytes);
      block =
          block == null ? pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget()) : block;
      if (block != null) {
        return block;
      }
    }
    return null;
  }

  @Test
  void aLimitBelowWhatIsLiveTakesEffectAsMemoryIsFreed() {
    fill();
    pool.setLimitBytes(4 * MIB);

    assertThat(pool.limitBytes()).isEqualTo(4 * MIB);
    assertThat(pool.rootBudget().limitBytes()).isEqualTo(4 * MIB);
    assertThat(pool.liveBytes()).isGreaterThan(12 * MIB);
    while (pool.liveBytes() > 5 * MIB) {
      Block got = tryEverySize();
      if (got != null) {
        // A slot of a page that is live all the same costs nothing.
        assertThat(pool.liveBytes()).isGreaterThanOrEqualTo(4 * MIB);
        got.release();
      }
      for (int i = 0; i < 16; i++) {
        Block block = live.removeLast();
        Patterns.verify(block, live.size());
        block.release();
      }
      // What is freed does not stay: the limit is exceeded by what is live, and no more.
      Await.until(() -> pool.dirtyBytes() == 0, () -> pool.snapshot().toString());
      pool.checkInvariants();
    }
    for (int i = 0; i < live.size(); i++) {
      Patterns.verify(live.get(i), i);
    }
    live.forEach(Block::release);
    live.clear();
    fill();
    assertThat(pool.residentBytes()).isBetween(3 * MIB, 4 * MIB);
  }

  @Test
  void dirtyPagesAboveItGoAtOnce() {
    Block keeper = pool.allocate(MIB);
    live.add(keeper);
    Block freed = pool.allocate(2 * MIB);
    freed.release();
    assertThat(pool.residentBytes()).isEqualTo(3 * MIB);

    pool.setLimitBytes(2 * MIB);

    assertThat(pool.residentBytes()).isLessThanOrEqualTo(2 * MIB);
    pool.checkInvariants();
  }

  @Test
  void aRaisedLimitServesThoseWhoWait() {
    pool.setLimitBytes(2 * MIB);
    live.add(pool.allocate(MIB));
    pool.setLimitBytes(8 * MIB);
    CompletableFuture<Grant> fits = pool.grant(4 * MIB, Duration.ofHours(1));
    CompletableFuture<Grant> waits = pool.grant(3 * MIB, Duration.ofHours(1));
    assertThat(fits).isCompleted();
    assertThat(waits).isNotCompleted();
    pool.setLimitBytes(4 * MIB);

    live.add(fits.join().allocate(3 * MIB));
    fits.join().close();
    assertThat(waits).isNotCompleted();
    pool.setLimitBytes(16 * MIB);

    assertThat(waits).succeedsWithin(Duration.ofMinutes(1));
    waits.join().close();
  }

  @Test
  void aLimitLoweredBeforeTheFirstAllocationHolds() {
    Pool fresh = Pool.create(PoolOptions.withLimit(16 * MIB).withName("fresh"));
    fresh.setLimitBytes(PoolOptions.MIN_LIMIT_BYTES);

    assertThat(fresh.tryAllocate(2 * MIB)).isNull();
    fresh.allocate(MIB / 2).release();
    assertThat(fresh.snapshot().limitBytes()).isEqualTo(PoolOptions.MIN_LIMIT_BYTES);
    fresh.close();
  }

  @Test
  void aLimitOutOfRangeIsRefusedWithTheRange() {
    for (long bytes : new long[] {Long.MIN_VALUE, -1, 0, MIB - 1, 16 * MIB + 1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.setLimitBytes(bytes))
          .withMessageContaining("'pool'")
          .withMessageContaining("1,048,576")
          .withMessageContaining("16,777,216");
    }
    assertThat(pool.limitBytes()).isEqualTo(16 * MIB);
  }

  @Test
  void aBudgetBelowTheRootLikewise() {
    Budget feature = pool.rootBudget().child("feature", MIB);
    List<Block> blocks = new ArrayList<>();
    for (Block block = pool.tryAllocate(65_536, feature); block != null; ) {
      blocks.add(block);
      block = pool.tryAllocate(65_536, feature);
    }
    assertThat(blocks).hasSize(16);
    feature.setLimitBytes(128 << 10);
    while (feature.chargedBytes() > 128 << 10) {
      assertThat(pool.tryAllocate(1, feature)).isNull();
      blocks.removeLast().release();
    }
    assertThat(pool.tryAllocate(1, feature)).isNull();
    blocks.removeLast().release();

    live.add(pool.allocate(65_536, feature));
    live.addAll(blocks);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> feature.setLimitBytes(-1))
        .withMessage("limit of budget 'pool/feature' is negative: -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> feature.setHeapLimitBytes(-1))
        .withMessage("heap limit of budget 'pool/feature' is negative: -1");
    assertThatIllegalStateException().isThrownBy(() -> pool.rootBudget().setLimitBytes(MIB));
  }
}
