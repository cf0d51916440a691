package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.FakeNativeMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a pool says when it says "no", and that it says so for the reason given. */
class PoolRefusalTest {
  private static final long LIMIT_BYTES = 4 << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(LIMIT_BYTES)
              .withName("pool")
              .withDecay(Duration.ofDays(1))
              .withNativeMemory(os));
  private final List<Block> live = new ArrayList<>();

  @AfterEach
  void everythingIsReleased() {
    live.forEach(Block::release);
    assertThat(pool.liveBlockBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void theRootNamesItsLimitAndWhatIsUsed() {
    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> pool.allocate(LIMIT_BYTES + 1))
        .withMessageContaining("budget 'pool'")
        .withMessageContaining("live pages 0");
    assertThat(pool.tryAllocate(Long.MAX_VALUE)).isNull();
    assertThat(pool.tryAllocate(LIMIT_BYTES)).as("the reserve is for small blocks").isNull();
  }

  @Test
  void aChildIsNamedWhenItsLimitRefuses() {
    Budget child = pool.rootBudget().child("child", 10_000);
    live.add(pool.allocate(8_000, child));

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> pool.allocate(8_000, child))
        .withMessageContaining("budget 'pool/child' has no room")
        .satisfies(error -> assertThat(error.budget()).isSameAs(child));
  }

  /** A slot of 1,024 bytes serves a request of 1,000, and is what is charged. */
  @Test
  void aChildIsNamedWhenTheSlotAndNotTheRequestIsTooLarge() {
    Budget child = pool.rootBudget().child("child", 1_000);
    Budget runs = pool.rootBudget().child("runs", 100_000);

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> pool.allocate(1_000, child))
        .satisfies(error -> assertThat(error.budget()).isSameAs(child));
    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> pool.allocate(99_999, runs))
        .satisfies(error -> assertThat(error.budget()).isSameAs(runs));
  }

  @Test
  void aClosedBudgetIsNamedAsClosed() {
    Budget child = pool.rootBudget().child("child", Budget.UNLIMITED);
    child.close();

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> pool.allocate(100, child))
        .withMessageContaining("pool/child")
        .withMessageContaining("closed");
  }

  @Test
  void smallBlocksAreServedFromTheReserveWhenLargeOnesAreRefused() {
    for (Block block = pool.tryAllocate(64 << 10); block != null; ) {
      live.add(block);
      block = pool.tryAllocate(64 << 10);
    }
    assertThat(pool.tryAllocate(8 << 10)).isNull();

    live.add(pool.allocate(100));
    live.add(pool.allocate(4096));
  }

  /** A slot of 18,432 bytes serves it, for which the budget has no room. */
  @Test
  void whatItsBudgetHasNoRoomForTrimsNoHeap() {
    Budget narrow = pool.rootBudget().child("narrow", 1_000_000);
    for (int i = 0; i < 16; i++) {
      live.add(pool.allocate(60_000, narrow));
    }
    List<Block> idle = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      idle.add(pool.allocate(60_000));
    }
    live.add(idle.removeLast());
    idle.forEach(Block::release);

    assertThat(pool.tryAllocate(16_500, narrow)).isNull();
    assertThat(os.takePurges()).isEmpty();
  }

  @Test
  void whatFitsIntoNoEmptyPoolTrimsNoHeap() {
    List<Block> idle = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      idle.add(pool.allocate(60_000));
    }
    live.add(idle.removeLast());
    idle.forEach(Block::release);

    assertThat(pool.tryAllocate(LIMIT_BYTES)).isNull();
    assertThat(os.takePurges()).isEmpty();
  }

  /** Of the root too, which has room for whatever one asks for as far as budgets go. */
  @Test
  void whatFitsIntoNoEmptyPoolIsRefusedAtOnce() {
    Budget root = pool.rootBudget();
    for (long bytes : new long[] {LIMIT_BYTES + 1, 1L << 50, Long.MAX_VALUE}) {
      assertThat(pool.tryAllocateAtOnce(bytes, root)).isNull();
    }
  }

  /** The peak would never sink again, and a sibling under a limit of both be refused meanwhile. */
  @Test
  void whatFitsIntoNoEmptyPoolIsChargedToNobody() {
    Budget both = pool.rootBudget().child("both", Budget.UNLIMITED);
    Budget child = both.child("child", Budget.UNLIMITED);
    Block growing = pool.allocateGrowing(100_000, child);
    live.add(growing);
    for (long bytes : new long[] {LIMIT_BYTES, LIMIT_BYTES + 1, 1L << 50, Long.MAX_VALUE}) {
      assertThat(pool.tryAllocate(bytes, child)).isNull();
      assertThat(pool.tryAllocateAtOnce(bytes, child)).isNull();
      assertThat(growing.tryGrow(bytes)).isFalse();
      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> pool.allocateGrowing(bytes, child));
    }

    assertThat(child.peakChargedBytes()).isEqualTo(growing.size());
    assertThat(both.peakChargedBytes()).isEqualTo(growing.size());
  }

  @Test
  void whatFitsIntoNoEmptyPoolIsChargedToNobodyWhereBlocksAreHardened() {
    try (Pool hardened =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES)
                .withHardening(Hardening.full())
                .withNativeMemory(new FakeNativeMemory()))) {
      Budget child = hardened.rootBudget().child("child", Budget.UNLIMITED);
      assertThat(hardened.tryAllocate(1L << 50, child)).isNull();
      assertThat(child.peakChargedBytes()).isZero();
    }
  }

  @Test
  void badSizesAndClosedPoolsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool.allocate(-1))
        .withMessageContaining("-1");
    assertThatIllegalArgumentException().isThrownBy(() -> pool.grant(0, Duration.ZERO));
    live.add(pool.allocate(0));
    assertThat(live.getFirst().size()).isEqualTo(16);
    pool.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> pool.allocate(1))
        .withMessageContaining("'pool' is closed");
    assertThatIllegalStateException().isThrownBy(() -> pool.grant(1, Duration.ZERO));
  }
}
