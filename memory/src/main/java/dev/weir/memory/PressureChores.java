package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import java.util.concurrent.atomic.AtomicBoolean;

/** When the purger tells listeners how close budgets are to their limits. */
final class PressureChores {
  /** How long charges that go to and fro at a mark are left alone: 1 ms. */
  private static final long PAUSE_NANOS = 1_000_000;

  /** How often all budgets are looked at, also those that no charge has told of: twice a second. */
  private static final long LOOK_NANOS = 500_000_000;

  private final Budget root;
  private final AtomicBoolean moved = new AtomicBoolean();
  private long nextTellNanos = System.nanoTime();
  private long nextLookNanos = System.nanoTime();

  PressureChores(Budget root) {
    this.root = root;
  }

  /** A level may have changed. Any thread, also under a stripe's lock. */
  void moved() {
    if (!moved.get() && moved.compareAndSet(false, true)) {
      Purger.wake();
    }
  }

  boolean hasListeners() {
    return root.hasPressureListeners();
  }

  /**
   * Tells what is due. The purger only.
   *
   * @return nanoseconds until it is due again; {@link Long#MAX_VALUE} if nobody listens
   */
  long tell(long nowNanos) {
    if (!hasListeners()) {
      moved.set(false);
      return Long.MAX_VALUE;
    }
    boolean all = nextLookNanos - nowNanos <= 0;
    if (all || (moved.get() && nextTellNanos - nowNanos <= 0)) {
      moved.set(false);
      nextTellNanos = nowNanos + PAUSE_NANOS;
      nextLookNanos = all ? nowNanos + LOOK_NANOS : nextLookNanos;
      root.tellPressure(all);
    }
    return (moved.get() ? nextTellNanos : nextLookNanos) - nowNanos;
  }
}
