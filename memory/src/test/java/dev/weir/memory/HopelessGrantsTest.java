package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The error of a grant that can never be given names what is in its way for ever. */
class HopelessGrantsTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final Budget parent = root.child("parent", 32 * MIB);
  private final Budget leaf = parent.child("leaf", 4 * MIB);
  private final GrantQueue queue = new GrantQueue(pages, root);

  private static BudgetExceededError failure(CompletableFuture<Grant> future) {
    assertThat(future).isCompletedExceptionally();
    return (BudgetExceededError) future.exceptionNow();
  }

  /** Its own budget has no room either, but may have some later. */
  @Test
  void theLimitThatWasLoweredAboveIt() {
    assertThat(leaf.tryCharge(3 * MIB)).isTrue();
    CompletableFuture<Grant> waiting = queue.request(2 * MIB, Long.MAX_VALUE, leaf);
    assertThat(waiting).isNotDone();

    parent.setLimitBytes(MIB);
    queue.serve(0);

    assertThat(failure(waiting).budget()).isSameAs(parent);
    assertThat(failure(waiting))
        .hasMessageContaining(
            "'root/parent' has no room for 2,097,152 bytes of direct memory: limit 1,048,576, which"
                + " is less");
  }

  @Test
  void theBudgetThatIsClosed() {
    parent.close();

    BudgetExceededError failure = failure(queue.request(MIB, Long.MAX_VALUE, leaf));

    assertThat(failure.budget()).isSameAs(parent);
    assertThat(failure).hasMessageContaining("closed, charged 0");
  }

  @Test
  void thePagesOfThePool() {
    BudgetExceededError failure = failure(queue.request(17 * MIB, Long.MAX_VALUE, parent));

    assertThat(failure.budget()).isSameAs(root);
    assertThat(failure).hasMessageContaining("of which a single grant can get");
  }
}
