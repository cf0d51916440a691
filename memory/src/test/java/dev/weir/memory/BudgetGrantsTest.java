package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants of budgets below the root: charged from the promise on. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BudgetGrantsTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(32 * MIB).withName("p").withDecay(Duration.ofDays(1)));
  private final Budget factory = pool.rootBudget().child("factory", 8 * MIB);
  private final Budget one = factory.child("one", 4 * MIB);
  private final Budget two = factory.child("two", Budget.UNLIMITED);

  @AfterEach
  void nothingIsLeft() {
    Await.until(() -> pool.snapshot().promisedBytes() == 0, () -> pool.snapshot().toString());
    Await.until(() -> factory.chargedBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.liveBlockBytes()).isZero();
    Await.untilPasses(pool::checkInvariants);
    pool.close();
  }

  private static Grant granted(CompletableFuture<Grant> future) {
    assertThat(future).succeedsWithin(SOON);
    return future.join();
  }

  @Test
  void aGrantIsChargedFromThePromiseUntilTheLastRelease() {
    Grant grant = pool.grant(3 * MIB, LONG, one).join();
    assertThat(grant.budget()).isSameAs(one);
    assertThat(one.chargedBytes()).isEqualTo(3 * MIB);
    assertThat(factory.chargedBytes()).isEqualTo(3 * MIB);
    assertThat(pool.tryAllocate(2 * MIB, one)).isNull();

    Block block = grant.allocate(2 * MIB);
    assertThat(block.budget()).isSameAs(one);
    assertThat(one.chargedBytes()).isEqualTo(3 * MIB);
    grant.close();
    assertThat(one.chargedBytes()).isEqualTo(2 * MIB);
    block.release();
    assertThat(one.chargedBytes()).isZero();
  }

  @Test
  void whatWasGrantedIsNotRefusedHoweverFullTheBudgetIs() {
    Grant grant = pool.grant(2 * MIB, LONG, one).join();
    Block rest = pool.allocate(2 * MIB, one);
    assertThat(pool.tryAllocate(1, one)).isNull();

    one.setLimitBytes(0);
    one.close();

    grant.allocate(2 * MIB).release();
    grant.close();
    rest.release();
  }

  @Test
  void aGrantWaitsForItsBudgetAndHoldsUpNobodyElse() {
    Block full = pool.allocate(4 * MIB, one);
    CompletableFuture<Grant> first = pool.grant(MIB, LONG, one);
    CompletableFuture<Grant> second = pool.grant(100_000, LONG, one);
    CompletableFuture<Grant> little = pool.grant(1, LONG, one);

    granted(pool.grant(MIB, LONG, two)).close();
    granted(pool.grant(16 * MIB, LONG)).close();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    assertThat(little).isNotDone();

    full.release();
    granted(first).close();
    granted(second).close();
    granted(little).close();
  }

  @Test
  void nobodyOvertakesInTheSameBudget() {
    Block most = pool.allocate(7 * MIB / 2, one);
    CompletableFuture<Grant> large = pool.grant(MIB, LONG, one);
    CompletableFuture<Grant> fits = pool.grant(100_000, LONG, one);
    assertThat(fits).isNotDone();

    large.cancel(false);

    granted(fits).close();
    most.release();
  }

  @Test
  void aLimitAboveHoldsUpAllBelowIt() {
    Block full = pool.allocate(8 * MIB, two);
    CompletableFuture<Grant> first = pool.grant(MIB, LONG, one);
    assertThat(first).isNotDone();

    factory.setLimitBytes(16 * MIB);

    granted(first).close();
    full.release();
  }

  @Test
  void oneAboveALimitFailsAtOnceOrWhenThatIsLowered() {
    assertThat(pool.grant(5 * MIB, LONG, one))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(BudgetExceededError.class)
        .withMessageStartingWith(
            "budget 'p/factory/one' has no room for 5,242,880 bytes of direct memory: limit"
                + " 4,194,304");
    Block full = pool.allocate(4 * MIB, one);
    CompletableFuture<Grant> waits = pool.grant(2 * MIB, LONG, one);
    assertThat(waits).isNotDone();

    one.setLimitBytes(MIB);

    assertThat(waits)
        .failsWithin(SOON)
        .withThrowableThat()
        .withCauseInstanceOf(BudgetExceededError.class);
    full.release();
  }

  @Test
  void closingTheBudgetFailsThoseThatWait() {
    Block full = pool.allocate(4 * MIB, one);
    CompletableFuture<Grant> waits = pool.grant(MIB, LONG, one);

    one.close();

    assertThat(waits)
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(BudgetExceededError.class)
        .withMessageContaining("closed");
    assertThat(pool.grant(1, LONG, one)).isCompletedExceptionally();
    full.release();
  }

  @Test
  void aDeadlineThatPassesNamesTheBudget() {
    Block full = pool.allocate(4 * MIB, one);
    assertThat(pool.grant(MIB, Duration.ofMillis(10), one))
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(TimeoutException.class)
        .withMessage("no room for 1,048,576 bytes in budget 'p/factory/one' before the deadline");
    full.release();
  }

  @Test
  void aWithdrawnOneThatWaitsForPagesLeavesNoCharge() {
    Block full = pool.allocate(26 * MIB);
    CompletableFuture<Grant> waits = pool.grant(4 * MIB, LONG, one);
    assertThat(waits).isNotDone();
    assertThat(one.chargedBytes()).as("what waits is not charged").isZero();
    waits.cancel(false);
    full.release();
  }

  /** Credit of heaps is room. */
  @Test
  void whatAHeapHasNotSpentIsNoReasonToWait() {
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      blocks.add(pool.support().allocateBlock(heap, 4_096, one));
    }
    long room = 4 * MIB - 20 * 4_096;
    assertThat(one.chargedBytes()).isEqualTo(4 * MIB - room);

    Grant grant = pool.grant(room, Duration.ZERO, one).join();

    assertThat(one.chargedBytes()).isEqualTo(4 * MIB);
    CompletableFuture<Grant> waits = pool.grant(8_192, LONG, one);
    assertThat(waits).isNotDone();
    blocks.forEach(Block::release);
    granted(waits).close();
    grant.close();
    heap.close();
  }

  @Test
  void aBudgetOfAnotherPoolIsRefused() {
    try (Pool other = Pool.create(PoolOptions.withLimit(MIB))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.grant(1, LONG, other.rootBudget()));
    }
  }

  /**
   * Small ones must not keep a budget from a large one for ever, nor large ones from a small one.
   */
  @Test
  void smallOnesOvertakeALargeOneOfTheirBudgetByA16thAndNoMore() {
    int small = 64 << 10;
    Grant half = granted(pool.grant(2 * MIB, LONG, one));
    CompletableFuture<Grant> large = pool.grant(3 * MIB, LONG, one);
    List<CompletableFuture<Grant>> before = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      before.add(pool.grant(small, LONG, one));
    }
    assertThat(before).allSatisfy(each -> assertThat(each).isCompleted());
    before.forEach(each -> each.join().close());
    CompletableFuture<Grant> behind = pool.grant(small, LONG, one);
    CompletableFuture<Grant> aside = pool.grant(small, LONG, two);

    assertThat(behind).as("though there is room").isNotDone();
    granted(aside).close();
    half.close();
    Grant got = granted(large);
    granted(behind).close();
    got.close();
  }

  @Test
  void aLargeOneDoesNotOvertakeASmallOneOfItsBudget() {
    Grant all = granted(pool.grant(4 * MIB, LONG, one));
    CompletableFuture<Grant> small = pool.grant(64 << 10, LONG, one);
    CompletableFuture<Grant> large = pool.grant(4 * MIB, LONG, one);

    all.close();

    Grant first = granted(small);
    assertThat(large).isNotDone();
    first.close();
    granted(large).close();
  }

  /** Whatever is granted, withdrawn and released at once, every charge and promise is settled. */
  @Test
  void manyAtOnceLeaveNothingBehind() throws InterruptedException {
    Workers workers = new Workers();
    for (int i = 0; i < 4; i++) {
      SplittableRandom random = new SplittableRandom(i);
      workers.platform(() -> {
        List<CompletableFuture<Grant>> waiting = new ArrayList<>();
        for (int n = 0; n < 1_500; n++) {
          Budget budget = random.nextBoolean() ? one : random.nextBoolean() ? two : factory;
          long bytes = random.nextBoolean() ? random.nextInt(64 << 10) : random.nextInt(3 * MIB);
          CompletableFuture<Grant> future = pool.grant(bytes + 1, LONG, budget);
          boolean uses = random.nextBoolean();
          if (random.nextInt(3) == 0) {
            future.cancel(false);
          }
          future.thenAccept(grant -> {
            try (grant) {
              if (uses) {
                grant.allocate(grant.bytes()).release();
              }
            }
          });
          waiting.add(future);
        }
        for (CompletableFuture<Grant> future : waiting) {
          Await.until(future::isDone, () -> pool.snapshot().toString());
        }
      });
    }
    workers.join();
  }
}
