package dev.weir.memory.array;

import dev.weir.memory.sync.SpinLock;
import java.util.Arrays;

/**
 * The heaps of all threads that have none of their own, virtual ones too. A thread begins at the
 * stripe that its id hashes to, and moves on where somebody else is at work.
 */
final class ArrayStripes {
  private final ArrayHeap[] stripes;

  /** As many stripes, rounded up to a power of two. */
  ArrayStripes(int minStripes, ArrayPool pool, ArraySlab none) {
    stripes = new ArrayHeap[Integer.highestOneBit(Math.max(1, minStripes * 2 - 1))];
    Arrays.setAll(stripes, i -> new ArrayHeap(pool, none));
  }

  ArrayHeap[] all() {
    return stripes;
  }

  /** A stripe whose lock the caller has from now on. */
  ArrayHeap lockAny() {
    int mask = stripes.length - 1;
    // Fibonacci hashing spreads consecutive thread ids.
    int home = (int) ((Thread.currentThread().threadId() * 0x9E3779B97F4A7C15L) >>> 32);
    for (int attempt = 0; ; attempt++) {
      ArrayHeap stripe = stripes[(home + attempt) & mask];
      if (stripe.lock.tryLock()) {
        return stripe;
      }
      if ((attempt & mask) == mask) {
        // All are in use, or lean towards threads that may never run again.
        ArrayHeap next = stripes[(home + attempt / stripes.length) & mask];
        if (next.lock.tryTakeOver()) {
          return next;
        }
        SpinLock.giveWay();
      }
    }
  }
}
