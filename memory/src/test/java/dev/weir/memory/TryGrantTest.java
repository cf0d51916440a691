package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants that are given at once or not at all; nobody serves the queue but the tests. */
@Timeout(60)
class TryGrantTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;
  private static final int SMALL = 64 << 10;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final GrantOutcomes.Maker plain = GrantOutcomes.plain(pages);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final Budget object = root.child("object", 2 * MIB);
  private final Budget service = object.child("service", Budget.UNLIMITED);
  private @Nullable Error failure;
  private final GrantQueue queue = new GrantQueue(pages, root, this::make, () -> {});

  private Grant make(WaitingGrant request) {
    if (failure != null) {
      throw failure;
    }
    return plain.make(request);
  }

  private @Nullable Grant tryGrant(long bytes) {
    return queue.tryRequest(bytes, root);
  }

  private Grant granted(long bytes, Budget budget) {
    Grant grant = queue.tryRequest(bytes, budget);
    assertThat(grant).isNotNull();
    return grant;
  }

  private CompletableFuture<Grant> request(long bytes, Budget budget) {
    return queue.request(bytes, Long.MAX_VALUE, budget);
  }

  private void assertNothingPromised() {
    assertThat(pages.totals().promisedBytes()).isZero();
    assertThat(object.chargedBytes()).isZero();
    assertThat(queue.hasWaiting()).isFalse();
  }

  @Test
  void whatFitsIsGrantedWithItsChargesAtOnce() {
    try (Grant grant = granted(MIB, service)) {
      assertThat(grant.bytes()).isEqualTo(MIB);
      assertThat(grant.remainingBytes()).isEqualTo(MIB);
      assertThat(grant.budget()).isSameAs(service);
      assertThat(pages.totals().promisedBytes()).isEqualTo(MIB);
      assertThat(object.chargedBytes()).isEqualTo(MIB);
    }
    assertNothingPromised();
  }

  @Test
  void whatDoesNotFitIsRefusedAndHoldsUpNobody() {
    try (Grant most = granted(10 * MIB, root)) {
      assertThat(tryGrant(10 * MIB)).isNull();
      assertThat(tryGrant(pages.promises().largestBytes(Lane.PROMISE) + 1)).isNull();
      assertThat(tryGrant(Long.MAX_VALUE)).isNull();

      assertThat(request(MIB, root)).isCompletedWithValueMatching(TryGrantTest::closes);
      granted(MIB, root).close();
      assertThat(pages.totals().promisedBytes()).isEqualTo(most.bytes());
    }
    assertNothingPromised();
  }

  private static boolean closes(Grant grant) {
    grant.close();
    return true;
  }

  /** Small ones may take all but the headroom as long as no large one waits: none does. */
  @Test
  void aLargeOneThatIsRefusedDoesNotKeepSmallOnesToTheirShare() {
    try (Grant most = granted(pages.promises().largestBytes(Lane.PROMISE) - 2 * SMALL, root);
        Grant share = granted(SMALL, root)) {
      assertThat(tryGrant(4 * SMALL)).isNull();

      long promised = most.bytes() + share.bytes();
      long leftBytes = pages.promises().largestBytes(Lane.SMALL_PROMISE) - promised;
      for (long bytes = leftBytes / SMALL; bytes > 0; bytes--) {
        assertThat(request(SMALL, root)).isCompleted().isNotCancelled();
      }
      pages.promises().giveBack(leftBytes / SMALL * SMALL, Lane.SMALL_PROMISE);
    }
    assertNothingPromised();
  }

  @Test
  void aLimitBelowTheRootRefusesItAndHoldsUpNobody() {
    try (Grant most = granted(MIB + SMALL, service)) {
      assertThat(queue.tryRequest(MIB, service)).isNull();
      assertThat(queue.tryRequest(3 * MIB, service)).isNull();

      assertThat(request(2 * SMALL, object)).isCompletedWithValueMatching(TryGrantTest::closes);
      granted(2 * SMALL, service).close();
      assertThat(object.chargedBytes()).isEqualTo(most.bytes());
    }
    service.close();
    assertThat(queue.tryRequest(SMALL, service)).isNull();
    assertNothingPromised();
  }

  @Test
  void aGrantAtOnceOvertakesNobodyOfItsLaneWhoWaitsForPages() {
    Grant most = granted(10 * MIB, root);
    CompletableFuture<Grant> waiting = request(10 * MIB, root);

    assertThat(tryGrant(MIB)).isNull();
    granted(SMALL, root).close();

    most.close();
    assertThat(tryGrant(MIB)).as("while the one before it is not served").isNull();
    queue.serve(0);
    Grant served = waiting.join();
    granted(MIB, root).close();
    served.close();
    assertNothingPromised();
  }

  @Test
  void smallOnesTakeNoMoreThanTheirShareFromALargeOneThatWaits() {
    Grant most = granted(8 * MIB, root);
    CompletableFuture<Grant> giant = request(10 * MIB, root);
    long smallOnes = 0;
    while (tryGrant(SMALL) != null) {
      smallOnes++;
    }
    assertThat(smallOnes).isEqualTo(LIMIT_BYTES / 16 / SMALL);

    most.close();
    queue.serve(0);
    giant.join().close();
    pages.promises().giveBack(smallOnes * SMALL, Lane.SMALL_PROMISE);
    assertNothingPromised();
  }

  @Test
  void aGrantAtOnceOvertakesNobodyWhoWaitsForABudgetThatItWouldCharge() {
    Grant most = granted(MIB + SMALL, service);
    CompletableFuture<Grant> waiting = request(MIB, service);

    assertThat(queue.tryRequest(2 * SMALL, service)).isNull();
    assertThat(queue.tryRequest(2 * SMALL, object)).isNull();
    granted(MIB, root).close();

    long overtaking = 0;
    while (queue.tryRequest(4_096, service) != null) {
      overtaking += 4_096;
    }
    assertThat(overtaking).as("a 16th of the limit").isEqualTo(object.limitBytes() / 16);
    pages.promises().giveBack(overtaking, Lane.SMALL_PROMISE);
    service.uncharge(overtaking);

    most.close();
    queue.serve(0);
    waiting.join().close();
    assertNothingPromised();
  }

  @Test
  void oneThatCannotBeMadeLeavesNothingPromised() {
    failure = new StackOverflowError("thrown by a test");

    assertThatThrownBy(() -> queue.tryRequest(SMALL, service)).isSameAs(failure);

    assertNothingPromised();
  }

  @Test
  void aPoolRoundsUpToWholePagesAndTellsOfMisuse() {
    Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)));
    Budget budget = pool.rootBudget().child("budget", MIB);
    try (Grant grant = pool.tryGrant(1, budget)) {
      assertThat(grant).isNotNull();
      assertThat(grant.bytes()).isEqualTo(4_096).isEqualTo(budget.chargedBytes());
      grant.allocate(4_096).release();
    }
    assertThat(budget.chargedBytes()).isZero();
    assertThat(pool.tryGrant(2 * MIB, budget)).isNull();
    assertThatIllegalArgumentException().isThrownBy(() -> pool.tryGrant(0, budget));
    assertThatIllegalArgumentException().isThrownBy(() -> pool.tryGrant(1, root));
    pool.close();
    assertThatIllegalStateException().isThrownBy(() -> pool.tryGrant(1, budget));
  }
}
