package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A grant that is refused at once has room made for the next one, whenever the purger would. */
@Timeout(60)
class RefusedTryGrantTest {
  private static final int MIB = 1 << 20;
  private static final int BLOCK_BYTES = 1_024;

  /** Nothing decays here. */
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 * MIB).withDecay(Duration.ofDays(1)));

  private final Budget narrow = pool.rootBudget().child("narrow", MIB);
  private final List<Block> survivors = new ArrayList<>();

  /** Pages that hold little of what is live, and of which most hold nothing, inside slabs. */
  @BeforeEach
  void fill() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 8 * MIB / BLOCK_BYTES; i++) {
      blocks.add(pool.allocate(BLOCK_BYTES));
    }
    for (int i = 0; i < blocks.size(); i++) {
      if (i % 64 == 0) {
        survivors.add(blocks.get(i));
      } else {
        blocks.get(i).release();
      }
    }
  }

  @AfterEach
  void nothingIsLeft() {
    survivors.forEach(Block::release);
    assertThat(pool.liveBlockBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  private boolean isGranted(long bytes, Budget budget) {
    Grant grant = pool.tryGrant(bytes, budget);
    if (grant != null) {
      grant.close();
    }
    return grant != null;
  }

  @Test
  void roomIsMadeForTheNextOne() {
    assertThat(isGranted(8 * MIB, pool.rootBudget())).isFalse();

    Await.until(() -> isGranted(8 * MIB, pool.rootBudget()), () -> pool.snapshot().toString());
  }

  /** Pages that are not what is missing stay: they would be taken again, a fault each. */
  @Test
  void noRoomIsMadeForWhatABudgetRefusesOrNobodyCouldGrant() {
    long before = pool.residentBytes();
    assertThat(isGranted(2 * MIB, narrow)).isFalse();
    assertThat(isGranted(17 * MIB, pool.rootBudget())).isFalse();

    awaitRoundOfThePurger();

    assertThat(pool.residentBytes()).isEqualTo(before);
    assertThat(isGranted(MIB, narrow)).isTrue();
  }

  /** One that comes to this pool before the other, which is younger. */
  private static void awaitRoundOfThePurger() {
    try (Pool other = Pool.create(PoolOptions.withLimit(16 * MIB))) {
      Grant most = other.grant(8 * MIB, Duration.ofDays(1)).join();
      CompletableFuture<Grant> waiting = other.grant(8 * MIB, Duration.ofDays(1));
      assertThat(waiting).isNotDone();
      most.close();
      waiting.join().close();
    }
  }
}
