package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import org.jspecify.annotations.Nullable;

/**
 * A view of an allocator whose buffers are charged to a budget of their own. Cheap: it keeps no
 * memory.
 */
public final class ChargingAllocator extends BudgetedAllocator {
  private final ThreadKnowingAllocator threads;

  /**
   * A view with the pool, the heaps and the arrays of another allocator.
   *
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  public ChargingAllocator(
      Pool pool, ThreadKnowingAllocator threads, HeapArrays heapArrays, Budget budget) {
    super(pool, heapArrays, budget, /* preferDirect= */ true);
    this.threads = threads;
  }

  @Override
  @Nullable OwnedHeap heap() {
    return threads.heap();
  }

  @Override
  @Nullable Stripe stripe() {
    return threads.stripe();
  }

  @Override
  void lookForStripe() {
    threads.lookForStripe();
  }
}
