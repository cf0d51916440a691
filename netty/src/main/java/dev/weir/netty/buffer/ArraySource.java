package dev.weir.netty.buffer;

import dev.weir.memory.array.ArrayClasses;
import dev.weir.memory.array.ArrayFactory;
import dev.weir.memory.array.ArrayHeap;
import dev.weir.memory.array.ArrayPool;
import dev.weir.memory.array.ArraySlab;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Where the heap buffers of one allocator, or of one view of it, get their slots: the arrays of a
 * pool, and the budget that pays.
 */
final class ArraySource {
  private final ArrayPool arrays;
  private final Budget budget;

  /** The budget, if it keeps count: the pool's root does not. */
  private final @Nullable Budget counting;

  private final BudgetedAllocator allocator;

  /**
   * Arrays of a pool, charged to {@code budget} as heap bytes, for buffers whose {@code alloc()} is
   * {@code allocator}.
   */
  ArraySource(ArrayPool arrays, Budget budget, BudgetedAllocator allocator) {
    this.arrays = arrays;
    this.budget = budget;
    this.counting = budget.isTracked() ? budget : null;
    this.allocator = allocator;
  }

  /** A slot that no buffer is left at by this: for one that moves. */
  record Place(ArraySlab home, int number) {
    static final ArrayFactory<Place> FACTORY = (home, number, found) -> new Place(home, number);
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /**
   * A buffer with a reference count of 1 and undefined contents.
   *
   * @param heap the calling thread's own, or null
   * @throws BudgetExceededError when the budget or the pool has no room
   */
  ByteBuf buffer(@Nullable ArrayHeap heap, int capacity, int maxCapacity) {
    return opened(heap, capacity, maxCapacity, WeirHeapByteBuf.RESTING);
  }

  /** The same, but never used again after its release: for Netty's wrappers. */
  ByteBuf detachedBuffer(@Nullable ArrayHeap heap, int capacity, int maxCapacity) {
    return opened(heap, capacity, maxCapacity, WeirHeapByteBuf.DETACHED);
  }

  /** As {@link #detachedBuffer}: one that the leak detector is to watch. */
  ByteBuf trackedBuffer(@Nullable ArrayHeap heap, int capacity, int maxCapacity) {
    return opened(heap, capacity, maxCapacity, LeakTrackedHeapByteBuf.FACTORY);
  }

  private <B extends WeirHeapByteBuf> B opened(
      @Nullable ArrayHeap heap, int capacity, int maxCapacity, ArrayFactory<B> factory) {
    B buffer = take(heap, capacity, factory);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  /** A place for a buffer that grows. */
  Place place(int bytes) {
    return take(allocator.arrayHeap(), bytes, Place.FACTORY);
  }

  /** A place for whoever can do without; null if there is no room. */
  @Nullable Place tryPlace(int bytes) {
    return tryCharge(bytes) ? tryTake(allocator.arrayHeap(), bytes, Place.FACTORY) : null;
  }

  /** Whether memory of so many bytes is an array of one buffer. */
  boolean isArrayOfItsOwn(int memoryBytes) {
    return memoryBytes > ArrayClasses.MAX_SLOT_BYTES;
  }

  private <T> T take(@Nullable ArrayHeap heap, int bytes, ArrayFactory<T> factory) {
    if (!tryCharge(bytes)) {
      throw refusal(bytes);
    }
    T object = tryTake(heap, bytes, factory);
    if (object == null) {
      throw refusal(bytes);
    }
    return object;
  }

  private boolean tryCharge(int bytes) {
    return counting == null || counting.tryChargeHeap(ArrayClasses.chargedBytes(bytes));
  }

  /** Takes a slot that has been charged; gives the charge back if there is none. */
  private <T> @Nullable T tryTake(@Nullable ArrayHeap heap, int bytes, ArrayFactory<T> factory) {
    T object = null;
    try {
      object = arrays.tryAllocate(heap, bytes, factory);
      return object;
    } finally {
      if (object == null && counting != null) {
        counting.unchargeHeap(ArrayClasses.chargedBytes(bytes));
      }
    }
  }

  /** Gives a slot and its charge back. Any thread. */
  void giveBack(ArraySlab home, int number) {
    if (counting != null) {
      counting.unchargeHeap(home.slotBytes());
    }
    home.free(number);
  }

  private BudgetExceededError refusal(int bytes) {
    int chargedBytes = ArrayClasses.chargedBytes(bytes);
    Budget limiting = budget;
    for (Budget node = budget; node != null && !budget.isClosed(); node = node.parent()) {
      if (chargedBytes > node.heapLimitBytes() - node.heldHeapBytes()) {
        limiting = node;
        break;
      }
    }
    return BudgetExceededError.ofHeapBuffer(limiting, bytes);
  }
}
