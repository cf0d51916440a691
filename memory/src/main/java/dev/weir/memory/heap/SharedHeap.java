package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sync.SpinLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The heap of every thread that has none of its own, virtual ones too: several stripes for each
 * processor, each a heap behind a lock on which no event loop and no carrier sleeps. A thread
 * begins at the stripe that its id hashes to and moves on where somebody else is at work, so no
 * memory is stranded in a thread that never runs again. A stripe that one platform thread alone
 * uses costs it no atomics.
 */
public final class SharedHeap {
  private final Stripe[] stripes;
  private final Consumer<InsidePurge> purger;

  /**
   * Creates a heap.
   *
   * @param minStripes how many stripes it has at least; rounded up to a power of two
   * @param purger takes what allocating threads unlink, without a lock; runs it, or has it run by
   *     another thread
   */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public SharedHeap(PageHeap pages, int minStripes, Consumer<InsidePurge> purger) {
    this.purger = purger;
    int count = Integer.highestOneBit(Math.max(1, minStripes * 2 - 1));
    stripes = new Stripe[count];
    for (int i = 0; i < count; i++) {
      stripes[i] = new Stripe(pages);
    }
  }

  /**
   * Takes a slot. Any thread.
   *
   * @return null if the limit has no room
   */
  public <T> @Nullable T tryAllocate(int sizeClass, BlockFactory<T> factory) {
    Stripe stripe = lockAny(/* mounted= */ false);
    try {
      return stripe.allocateSlot(sizeClass, factory);
    } finally {
      stripe.unlock(purger);
    }
  }

  /**
   * The stripe at which the calling thread begins, if it leans towards that thread; null otherwise.
   * Any thread.
   */
  public @Nullable Stripe leaningStripe() {
    Stripe stripe = stripes[home() & (stripes.length - 1)];
    return stripe.lock.isBiasedTowardsCaller() ? stripe : null;
  }

  /** Where the calling thread begins to look for a stripe. */
  private static int home() {
    // Fibonacci hashing spreads consecutive thread ids.
    return (int) ((Thread.currentThread().threadId() * 0x9E3779B97F4A7C15L) >>> 32);
  }

  /**
   * Retires every slab without a live block and gives back the free pages of the others, but of a
   * stripe at which somebody has been at work for a second. Any thread.
   */
  public void trim() {
    for (Stripe stripe : stripes) {
      HeapTrimmer.trim(stripe);
    }
  }

  /**
   * Retires the empty slabs of stripes that are not in use at the moment. Any thread.
   *
   * @param takesOver also of stripes that lean towards a thread, each of which costs every running
   *     thread a barrier
   */
  public void retireIdle(boolean takesOver) {
    for (Stripe stripe : stripes) {
      HeapTrimmer.retireIdle(stripe, takesOver);
    }
  }

  void adoptAll(OwnedHeap closed) {
    Stripe stripe = lockAny(/* mounted= */ true); // The closed heap's lock is held.
    try {
      closed.handOverTo(stripe);
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Takes the lock of some stripe, keeping a virtual thread's carrier or not. */
  private Stripe lockAny(boolean mounted) {
    int mask = stripes.length - 1;
    int home = home();
    for (int attempt = 0; ; attempt++) {
      Stripe stripe = stripes[(home + attempt) & mask];
      if (stripe.lock.tryLock()) {
        return stripe;
      }
      if ((attempt & mask) == mask) {
        // All are in use, or biased towards threads that may never run again.
        Stripe next = stripes[(home + attempt / stripes.length) & mask];
        if (next.lock.tryTakeOver()) {
          return next;
        }
        if (mounted) {
          SpinLock.giveWayMounted();
        } else {
          SpinLock.giveWay();
        }
      }
    }
  }

  /** One heap and its lock. */
  public static final class Stripe extends Heap {
    Stripe(PageHeap pages) {
      super(pages);
    }

    /**
     * Takes the slot that lies ready, if the stripe leans towards the calling thread and what was
     * left at the slot can be used again. Not of a pool that is closed: the caller has looked. Any
     * thread.
     *
     * @param isUsable tells that; runs under the lock, and calls nothing of the pool's
     * @return what was left there; null if no slot has been taken
     */
    public @Nullable Object tryTakeReady(int sizeClass, Predicate<Object> isUsable) {
      if (!lock.tryLockBiased()) {
        return null;
      }
      try {
        Slab slab = current(sizeClass);
        Object object = slab.peekCached();
        if (object == null || !isUsable.test(object)) {
          return null;
        }
        return slab.tryTakePeeked() ? object : null;
      } finally {
        lock.unlock();
      }
    }

    /** Whoever calls it holds the lock. */
    @Override
    void enter() {}

    @Override
    void leave() {}

    @Override
    boolean isAlone() {
      return true;
    }

    @Override
    @Nullable Thread owner() {
      return null;
    }

    @Override
    void freeElsewhere(Slab slab, int number) {
      if (lock.tryLock()) {
        try {
          freeLocally(slab, number);
        } finally {
          lock.unlock();
        }
      } else {
        freeRemotely(slab, number);
      }
    }
  }
}
