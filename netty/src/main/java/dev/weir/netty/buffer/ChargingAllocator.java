package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.array.ArrayHeap;
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
   * That of the event loop which came first, unless it has ended or closed it: most views are used
   * by one. One field, so that it cannot be taken for another thread's.
   */
  private @Nullable OwnedHeap known;

  /**
   * A view with the pool and the heaps of another allocator.
   *
   * @param preferDirect whether the {@code buffer()} methods give direct buffers
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  public ChargingAllocator(
      Pool pool, ThreadKnowingAllocator threads, Budget budget, boolean preferDirect) {
    super(pool, budget, preferDirect);
    this.threads = threads;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  @Nullable OwnedHeap heap() {
    OwnedHeap first = known;
    return first != null && first.owner() == Thread.currentThread() && !first.isHandedOver()
        ? first
        : ask(first);
  }

  private @Nullable OwnedHeap ask(@Nullable OwnedHeap first) {
    OwnedHeap heap = threads.heap();
    if (heap != null && (first == null || first.isHandedOver())) {
      known = heap;
    }
    return heap;
  }

  @Override
  @Nullable ArrayHeap arrayHeap() {
    return threads.arrayHeap();
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
