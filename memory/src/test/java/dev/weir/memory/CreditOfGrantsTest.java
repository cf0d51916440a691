package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.Credits;
import dev.weir.memory.budget.RootLedger;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Grants of budgets of which heaps hold credit: that is no reason to refuse one, at its deadline
 * either, nor to look again and again. Nobody serves the queue but the tests.
 */
@Timeout(60)
class CreditOfGrantsTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 256 * MIB;
  private static final int PAGE = 4_096;
  private static final int QUANTUM = 32 << 10;
  private static final long LATER = 5;

  /** How often the purger was called, since charges have gone down. */
  private int calls;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", new Ledger(), 0);
  private final Budget one = root.child("one", 4 * MIB);
  private final Budget parent = root.child("parent", 4 * MIB - QUANTUM / 2);
  private final GrantQueue queue = new GrantQueue(pages, root);
  private final Credits credits = new Credits();

  private final class Ledger implements RootLedger {
    @Override
    public long limitBytes() {
      return LIMIT_BYTES;
    }

    @Override
    public long liveBlockBytes() {
      return 0;
    }

    @Override
    public long liveHeapBytes() {
      return 0;
    }

    @Override
    public long heldHeapBytes() {
      return 0;
    }

    @Override
    public long usedBytes() {
      return 0;
    }

    @Override
    public void watchUsed(long fallsBelow, long risesAt) {}

    @Override
    public void pressureMoved() {}

    @Override
    public void roomFreed() {
      calls++;
    }
  }

  /** Eight pages are charged then, and a quantum of credit is out. */
  private void takeCredit(Credits heap, Budget budget) {
    for (int i = 0; i < QUANTUM / PAGE; i++) {
      assertThat(heap.tryCharge(budget, PAGE)).isTrue();
    }
  }

  private CompletableFuture<Grant> waits(long bytes, Budget budget, long deadlineNanos) {
    CompletableFuture<Grant> future = queue.request(bytes, deadlineNanos, budget);
    assertThat(future).isNotDone();
    return future;
  }

  @Test
  void theSecondOfTwoThatFitTogetherIsNotOverdueForCredit() {
    takeCredit(credits, one);
    assertThat(one.tryCharge(3 * MIB)).isTrue();
    CompletableFuture<Grant> first = waits(2 * MIB, one, LATER);
    CompletableFuture<Grant> second = waits(2 * MIB - QUANTUM, one, LATER);
    one.uncharge(3 * MIB);

    queue.serve(LATER);

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
  }

  @Test
  void howeverManyBudgetsAreFullNoneIsOverdueForCredit() {
    List<CompletableFuture<Grant>> others = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Budget full = root.child("full-" + i, MIB);
      assertThat(full.tryCharge(MIB)).isTrue();
      others.add(waits(PAGE, full, LATER));
    }
    takeCredit(credits, one);
    CompletableFuture<Grant> last = waits(4 * MIB - QUANTUM + PAGE, one, LATER);
    credits.uncharge(one, PAGE);

    queue.serve(LATER);

    assertThat(last).isCompleted();
    assertThat(others).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
  }

  /** What stands before an overdue one is looked at first, and it again. */
  @Test
  void oneBehindAnotherThatWaitsForCreditIsNotOverdueForThat() {
    int heaps = 3;
    for (int i = 0; i < heaps; i++) {
      takeCredit(new Credits(), one);
    }
    assertThat(one.tryCharge(3 * MIB)).isTrue();
    long large = 72 << 10;
    CompletableFuture<Grant> first = waits(4 * MIB - heaps * QUANTUM - large, one, 2 * LATER);
    CompletableFuture<Grant> second = waits(large, one, LATER);
    one.uncharge(3 * MIB);

    queue.serve(LATER);

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
  }

  /** A small one may overtake a large one that waits; not one that is just about to be served. */
  @Test
  void noSmallOneTakesWhatCreditLeavesToALargeOneAtItsDeadline() {
    assertThat(one.tryCharge(4 * MIB)).isTrue();
    CompletableFuture<Grant> large = waits(4 * MIB - QUANTUM, one, LATER);
    CompletableFuture<Grant> small = waits(PAGE, one, 2 * LATER);
    one.uncharge(4 * MIB);
    takeCredit(credits, one);

    queue.serve(LATER);

    assertThat(large).isCompleted();
    assertThat(small).isNotDone();
  }

  @Test
  void atOnceMeansWithWhatHeapsHaveNotSpent() {
    takeCredit(credits, one);

    assertThat(queue.tryRequest(4 * MIB - QUANTUM + PAGE, one)).isNull();
    assertThat(queue.tryRequest(4 * MIB - QUANTUM, one)).isNotNull();
    assertThat(one.chargedBytes()).isEqualTo(4 * MIB);
  }

  @Test
  void heapsKeepTheirCreditOfWhatIsTooFullAnyway() {
    takeCredit(credits, one);
    long peak = one.peakChargedBytes();
    assertThat(queue.tryRequest(4 * MIB, one)).isNull();
    queue.serve(0);

    credits.uncharge(one, PAGE);
    assertThat(credits.tryCharge(one, PAGE)).isTrue();

    assertThat(one.peakChargedBytes()).isEqualTo(peak);
  }

  /** Credit that is taken back brings its owner to the tree, and its release calls the purger. */
  private void assertNobodyCalls(Budget spent) {
    for (int i = 0; i < 1_000; i++) {
      credits.uncharge(spent, PAGE);
      assertThat(credits.tryCharge(spent, PAGE)).isTrue();
      queue.serve(0);
    }
    assertThat(calls).isLessThan(10);
  }

  @Test
  void nobodyCallsForServiceThatHelpsNobody() {
    takeCredit(credits, one);
    long most = pages.promises().largestBytes(Lane.PROMISE);
    assertThat(pages.promises().tryMake(most, Lane.PROMISE)).isTrue();
    waits(MIB, root, Long.MAX_VALUE);
    waits(4 * MIB - QUANTUM, one, Long.MAX_VALUE);

    assertNobodyCalls(one);
  }

  /** One waits for room that the parent lacks whatever heaps hold, and the leaf only with that. */
  private Budget leafOfFullParent() {
    Budget leaf = parent.child("leaf", 4 * MIB);
    takeCredit(credits, leaf);
    waits(4 * MIB - QUANTUM, leaf, Long.MAX_VALUE);
    return leaf;
  }

  @Test
  void oneBehindAnotherCallsForNoServiceThatHelpsNeither() {
    Budget leaf = leafOfFullParent();
    waits(4 * MIB - QUANTUM * 3 / 2, parent.child("other", Budget.UNLIMITED), Long.MAX_VALUE);

    assertNobodyCalls(leaf);
  }

  /** All wait for limits; whichever of its budgets it is that the first is found to wait for. */
  @Test
  void threeBehindEachOtherCallForNoServiceThatHelpsNone() {
    int kib = 1 << 10;
    Budget top = root.child("top", 31 * MIB + 2 * QUANTUM + 850 * kib);
    Budget middle = top.child("middle", 32 * MIB);
    Budget leaf = middle.child("leaf", 16 * MIB);
    assertThat(middle.tryCharge(31 * MIB)).isTrue();
    takeCredit(credits, leaf);
    waits(16 * MIB - QUANTUM / 2, leaf, Long.MAX_VALUE);
    waits(900 * kib, middle, Long.MAX_VALUE);
    waits(870 * kib, top.child("aside", Budget.UNLIMITED), Long.MAX_VALUE);

    assertNobodyCalls(leaf);
  }

  @Test
  void nobodyTakesFromTheParentWhatTheFirstLacksThere() {
    Budget leaf = leafOfFullParent();
    credits.uncharge(leaf, PAGE);
    assertThat(credits.tryCharge(leaf, PAGE)).isTrue();
    queue.serve(0);

    assertThat(queue.tryRequest(MIB, parent.child("other", Budget.UNLIMITED))).isNull();
  }
}
