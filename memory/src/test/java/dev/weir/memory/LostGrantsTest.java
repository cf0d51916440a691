package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Java heap, or a stack, that has no room for what a grant needs when it is served. */
@Timeout(60)
class LostGrantsTest {
  private static final long LIMIT_BYTES = 1 << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);
  private final GrantOutcomes.Maker plain = GrantOutcomes.plain(pages);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final Budget object = root.child("object", LIMIT_BYTES);
  private final AtomicReference<@Nullable Error> failure = new AtomicReference<>();
  private final AtomicInteger withdrawals = new AtomicInteger();
  private final GrantQueue queue =
      new GrantQueue(pages, root, this::make, withdrawals::incrementAndGet);

  private Grant make(WaitingGrant request) {
    Error first = failure.getAndSet(null);
    if (first != null) {
      throw first;
    }
    return plain.make(request);
  }

  /** As those do who have no Java heap for a cancellation. */
  @Test
  void completingWithNullWithdraws() {
    long pageBytes = pages.pageBytes();
    long keptBytes = pages.promises().largestBytes(Lane.SMALL_PROMISE);
    assertThat(pages.promises().tryMake(keptBytes, Lane.SMALL_PROMISE)).isTrue();
    CompletableFuture<Grant> withdrawn = queue.request(pageBytes, Long.MAX_VALUE, object);
    CompletableFuture<Grant> behind = queue.request(pageBytes, Long.MAX_VALUE, object);

    assertThat(withdrawn.complete(null)).isTrue();

    assertThat(withdrawals).hasValue(1);
    pages.promises().giveBack(keptBytes, Lane.SMALL_PROMISE);
    queue.serve(0);
    assertThat(pages.totals().promisedBytes()).isEqualTo(pageBytes);
    behind.join().close();
    assertThat(object.chargedBytes()).isZero();
    assertThat(queue.hasWaiting()).isFalse();
  }

  private void failureOfOneConcernsNoOther(Error error) {
    long pageBytes = pages.pageBytes();
    long keptBytes = pages.promises().largestBytes(Lane.SMALL_PROMISE);
    assertThat(pages.promises().tryMake(keptBytes, Lane.SMALL_PROMISE)).isTrue();
    List<CompletableFuture<Grant>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.add(queue.request(pageBytes, Long.MAX_VALUE, object));
    }
    assertThat(futures).allSatisfy(each -> assertThat(each).isNotDone());
    pages.promises().giveBack(keptBytes, Lane.SMALL_PROMISE);
    failure.set(error);

    queue.serve(0);

    assertThat(futures.getFirst()).isCompletedExceptionally();
    assertThat(futures.getFirst().exceptionNow()).isSameAs(error);
    assertThat(withdrawals).hasValue(1);
    assertThat(futures.subList(1, 3)).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(pages.totals().promisedBytes()).isEqualTo(2 * pageBytes);
    assertThat(object.chargedBytes()).isEqualTo(2 * pageBytes);
    futures.subList(1, 3).forEach(each -> each.join().close());
    assertThat(queue.hasWaiting()).isFalse();
    assertThat(queue.hasUndelivered()).isFalse();
  }

  @Test
  void aFullJavaHeapFailsOneOfThoseThatAreServed() {
    failureOfOneConcernsNoOther(new OutOfMemoryError("thrown by a test"));
  }

  @Test
  void theEndOfAStackFailsOneOfThoseThatAreServed() {
    failureOfOneConcernsNoOther(new StackOverflowError("thrown by a test"));
  }

  @Test
  void oneThatIsServedAtOnceLeavesNothingBehindEither() {
    failure.set(new StackOverflowError("thrown by a test"));

    assertThat(queue.request(pages.pageBytes(), Long.MAX_VALUE, object)).isCompletedExceptionally();

    assertThat(pages.totals().promisedBytes()).isZero();
    assertThat(object.chargedBytes()).isZero();
  }
}
