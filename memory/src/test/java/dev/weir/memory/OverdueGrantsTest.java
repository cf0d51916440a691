package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One that fails at its deadline stands in nobody's way. Nobody serves the queue but the tests. */
class OverdueGrantsTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;
  private static final long LATER = 5;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final Budget object = root.child("object", 4 * MIB);
  private final GrantQueue queue = new GrantQueue(pages, root);

  private CompletableFuture<Grant> waits(long bytes, Budget budget) {
    CompletableFuture<Grant> future = queue.request(bytes, LATER, budget);
    assertThat(future).isNotDone();
    return future;
  }

  @Test
  void oneThatFitsIntoTheBudgetIsGrantedThoughTheOneBeforeItFails() {
    assertThat(object.tryCharge(2 * MIB)).isTrue();
    CompletableFuture<Grant> tooLarge = waits(3 * MIB, object);
    CompletableFuture<Grant> behind = waits(MIB, object);

    queue.serve(LATER);

    assertThat(tooLarge).isCompletedExceptionally();
    assertThat(behind).isCompleted();
    assertThat(queue.tryRequest(MIB, object)).isNotNull();
  }

  @Test
  void oneThatFitsIntoThePagesIsGrantedThoughTheOneBeforeItFails() {
    assertThat(pages.promises().tryMake(2 * MIB, Lane.PROMISE)).isTrue();
    CompletableFuture<Grant> tooLarge =
        waits(pages.promises().largestBytes(Lane.PROMISE) - MIB, root);
    CompletableFuture<Grant> behind = waits(MIB, root);

    queue.serve(LATER);

    assertThat(tooLarge).isCompletedExceptionally();
    assertThat(behind).isCompleted();
    assertThat(queue.tryRequest(MIB, root)).isNotNull();
  }
}
