package dev.weir.memory.heap;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that were full until another thread freed a slot of theirs, on their way to one heap: a
 * stack that any thread adds to and the heap takes as a whole, linked through the slabs.
 */
final class Arrivals {
  private final AtomicReference<@Nullable Slab> top = new AtomicReference<>();

  /** Adds a slab that is not on its way yet. Any thread. Sequentially consistent. */
  void add(Slab slab) {
    Slab below;
    do {
      below = top.getAcquire();
      slab.nextArrival = below;
    } while (!top.compareAndSet(below, slab));
  }

  /** Takes all slabs: the one added last, whose {@code nextArrival} leads on. */
  @Nullable Slab takeAll() {
    return top.getAndSet(null);
  }

  /** Whether there are any, as any thread sees it. */
  boolean hasAnyOpaque() {
    return top.getOpaque() != null;
  }
}
