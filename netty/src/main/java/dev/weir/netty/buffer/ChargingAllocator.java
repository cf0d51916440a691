package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;

/**
 * A view of an allocator whose buffers are charged to a budget of their own. Cheap: it keeps no
 * memory.
 */
public final class ChargingAllocator extends BudgetedAllocator {
  /**
   * A view with the pool, the heaps and the arrays of another allocator.
   *
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  public ChargingAllocator(Pool pool, ThreadHeaps heaps, HeapArrays heapArrays, Budget budget) {
    super(pool, heaps, heapArrays, budget, /* preferDirect= */ true);
  }
}
