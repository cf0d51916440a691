package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.profile.LiveSite;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PoolProfileTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(64 << 20).withName("pool").withProfile(4 << 10));
  private final Budget feature = pool.rootBudget().child("feature", Budget.UNLIMITED);
  private final List<Block> live = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    live.forEach(Block::release);
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.profile().samples()).isEmpty();
    pool.checkInvariants();
    pool.close();
  }

  private void leak(int blocks) {
    for (int i = 0; i < blocks; i++) {
      live.add(pool.allocate(8_192, feature));
    }
  }

  @Test
  void theLineThatHoldsMostIsNamed() {
    leak(500);
    for (int i = 0; i < 500; i++) {
      pool.allocate(8_192).release();
    }

    LiveSite top = pool.profile().sites().getFirst();
    assertThat(top.budget()).isEqualTo("pool/feature");
    assertThat(top.stack().getFirst().getClassName()).isEqualTo(PoolProfileTest.class.getName());
    assertThat(top.stack().getFirst().getMethodName()).isEqualTo("leak");
    assertThat(top.bytes()).isPositive();
    assertThat(pool.profile().olderThan(Duration.ofDays(1)).samples()).isEmpty();
    assertThat(pool.profile().lostSamples()).isZero();
  }

  @Test
  void aSampleEndsWithItsBlockWhicheverThreadReleasesIt() throws InterruptedException {
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      blocks.add(pool.support().allocateBlock(heap, 4_096, feature));
    }
    assertThat(pool.profile().samples()).isNotEmpty();

    new Workers().platform(() -> blocks.forEach(Block::release)).join();

    assertThat(pool.profile().samples()).isEmpty();
    heap.close();
  }

  @Test
  void blocksOfGrantsAndGrowingOnesAreSampledToo() throws Exception {
    try (Grant grant = pool.grant(1 << 20, Duration.ZERO).get()) {
      live.add(grant.allocate(1 << 20));
    }
    Block growing = pool.allocateGrowing(1 << 20, feature);
    live.add(growing);
    assertThat(growing.tryGrow((2 << 20) - 100)).isTrue();

    assertThat(pool.profile().samples())
        .extracting(LiveBlocks::budget, LiveBlocks::blockBytes, LiveBlocks::requestedBytes)
        .contains(
            tuple("pool", 1L << 20, 1L << 20), tuple("pool/feature", 2L << 20, (2L << 20) - 100));
    assertThat(pool.profile().samples())
        .as("they are far larger than the distance of samples: each stands for itself alone")
        .allSatisfy(blocks -> assertThat(blocks.blocks()).isLessThan(1.01));
  }

  @Test
  void whatNobodyAskedForIsRounding() {
    for (int i = 0; i < 2_000; i++) {
      live.add(pool.allocate(4_097, feature));
    }
    LiveProfile profile = pool.profile();

    // Slots of 4,608 bytes: 511 of each are rounding.
    assertThat((double) profile.roundingBytes() / profile.bytes()).isBetween(0.110, 0.112);
  }

  @Test
  void theProfileIsOffUnlessAskedFor() {
    Pool plain = Pool.create(PoolOptions.withLimit(1 << 20));
    plain.allocate(64 << 10).release();
    assertThat(plain.profile()).isEqualTo(LiveProfile.EMPTY);
    assertThat(plain.rootBudget().allocatedBytes()).isZero();
    assertThat(plain.sampler()).isNull();
    assertThat(pool.options().withoutProfile().bytesPerSample()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool.options().withProfile(4_095))
        .withMessageContaining("4,095");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool.options().withProfile((1L << 30) + 1));
    plain.close();
  }
}
