package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What reclaimers are asked for: what those are short of that are next. */
class ShortagesTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;
  private static final int PAGE = 4_096;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final Budget object = root.child("object", MIB);
  private final Budget service = object.child("service", Budget.UNLIMITED);
  private final GrantQueue queue = new GrantQueue(pages, root);

  private CompletableFuture<Grant> waits(long bytes, Budget budget) {
    CompletableFuture<Grant> future = queue.request(bytes, Long.MAX_VALUE, budget);
    assertThat(future).isNotDone();
    return future;
  }

  @Test
  void theBudgetThatIsFullIsNamed() {
    assertThat(object.tryCharge(MIB)).isTrue();
    waits(PAGE, service);

    assertThat(queue.shortages()).containsExactly(new Shortage(object, PAGE));

    object.uncharge(PAGE);
    assertThat(queue.shortages()).as("whoever made room serves").isEmpty();
  }

  @Test
  void pagesAreTheRoots() {
    long most = pages.promises().largestBytes(Lane.PROMISE);
    assertThat(pages.promises().tryMake(most, Lane.PROMISE)).isTrue();
    waits(2 * MIB, root);
    waits(MIB, service);

    assertThat(queue.shortages()).containsExactly(new Shortage(root, 2 * MIB));
  }

  /** Until it is served next, it stands in the way of others. */
  @Test
  void nothingIsFreedForOneThatIsWithdrawn() {
    assertThat(object.tryCharge(MIB)).isTrue();
    CompletableFuture<Grant> first = waits(PAGE, service);
    waits(2 * PAGE, service);
    assertThat(first.cancel(/* mayInterruptIfRunning= */ false)).isTrue();

    assertThat(queue.shortages()).doesNotContain(new Shortage(object, PAGE));

    queue.serve(0);
    assertThat(queue.shortages()).containsExactly(new Shortage(object, 2 * PAGE));
  }
}
