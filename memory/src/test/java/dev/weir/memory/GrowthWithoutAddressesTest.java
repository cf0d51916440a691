package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.ReservationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that cannot grow because the reservation was halved, though there is memory. */
@Timeout(120)
class GrowthWithoutAddressesTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 64 * MIB;

  /** One room is left that is longer than 4 MiB. */
  private static final int HALVINGS = 4;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool;
  private final List<Long> asked = new ArrayList<>();

  GrowthWithoutAddressesTest() {
    ReservationPlan plan = ReservationPlan.of(LIMIT_BYTES, os.pageBytes(), HALVINGS);
    assertThat(plan.growth().tiers()).hasSize(2);
    assertThat(plan.growth().tiers().getLast().ranges()).isOne();
    ReservationPlan larger = ReservationPlan.of(LIMIT_BYTES, os.pageBytes(), HALVINGS - 1);
    os.limitReservations((plan.bytes() + larger.bytes()) / 2);
    pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    pool.addReclaimer(
        pool.rootBudget(),
        0,
        bytes -> {
          asked.add(bytes);
          return bytes;
        });
  }

  @AfterEach
  void close() {
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void nobodyIsAskedForMemoryWhereAddressesAreMissing() {
    Block first = pool.allocateGrowing(4 * MIB, pool.rootBudget());
    Block second = pool.allocateGrowing(4 * MIB, pool.rootBudget());
    assertThat(first.tryGrow(5 * MIB)).isTrue();
    assertThat(second.tryGrow(5 * MIB)).isFalse();
    assertThat(second.size()).isEqualTo(4 * MIB);
    assertThat(asked).isEmpty();

    first.release();
    assertThat(second.tryGrow(5 * MIB)).as("the room is free again").isTrue();
    assertThat(second.tryGrow(6 * MIB)).as("within its room").isTrue();
    assertThat(asked).isEmpty();
    second.release();
  }

  @Test
  void reclaimersAreAskedWhereMemoryIsMissing() {
    Block block = pool.allocateGrowing(5 * MIB, pool.rootBudget());
    Block other = pool.allocate(40 * MIB, pool.rootBudget());

    assertThat(block.tryGrow(50 * MIB)).isFalse();

    assertThat(asked).isNotEmpty();
    other.release();
    block.release();
  }
}
