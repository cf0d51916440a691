package dev.weir.netty.buffer;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Where the heap buffers of one allocator, or of one view of it, get their arrays, and the budget
 * that counts them.
 */
final class ArraySource {
  private final HeapArrays arrays;
  private final Budget budget;
  private final ByteBufAllocator allocator;

  /**
   * Arrays charged to {@code budget} as heap bytes, for buffers whose {@code alloc()} is {@code
   * allocator}.
   */
  ArraySource(HeapArrays arrays, Budget budget, ByteBufAllocator allocator) {
    this.arrays = arrays;
    this.budget = budget;
    this.allocator = allocator;
  }

  /**
   * A buffer with a reference count of 1 and undefined contents.
   *
   * @throws BudgetExceededError when the budget has no room
   */
  ByteBuf buffer(int capacity, int maxCapacity) {
    return new WeirHeapByteBuf(this, allocator, capacity, maxCapacity);
  }

  byte[] take(int bytes) {
    if (!budget.tryChargeHeap(bytes)) {
      throw refusal(bytes);
    }
    byte[] array = null;
    try {
      array = arrays.take(bytes);
      return array;
    } finally {
      if (array == null) {
        budget.unchargeHeap(bytes);
      }
    }
  }

  /** An array for a buffer that gives a larger one for it ({@link #give}): not charged. */
  byte[] takeSmaller(int bytes) {
    return arrays.take(bytes);
  }

  /**
   * Takes an array back.
   *
   * @param keptBytes the length of the smaller one that the buffer goes on with, which the charge
   *     is for now; 0 if there is none
   */
  void give(byte[] array, int keptBytes) {
    arrays.give(array);
    budget.unchargeHeap(array.length - keptBytes);
  }

  private BudgetExceededError refusal(int bytes) {
    Budget limiting = budget;
    for (Budget node = budget; node != null && !budget.isClosed(); node = node.parent()) {
      if (bytes > node.heapLimitBytes() - node.heapBytes()) {
        limiting = node;
        break;
      }
    }
    return BudgetExceededError.ofHeapBuffer(limiting, bytes);
  }
}
