package dev.weir.memory.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock for critical sections of a microsecond at most. It spins and then yields, and never parks:
 * an event loop or a carrier thread that waits for it goes on as soon as the holder is done. Not
 * reentrant.
 *
 * <p>{@link #unlock} is a release that pairs with the acquire of the next successful {@link
 * #tryLock}.
 */
public final class SpinLock {
  /** Spins before a waiter yields its time slice: about a microsecond. */
  private static final int SPINS = 64;

  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("UnusedVariable") // through HELD
  private int held;

  /** Takes the lock, however long that takes. */
  public void lock() {
    for (int spins = 0; !tryLock(); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        giveWay();
      }
    }
  }

  /** Takes the lock if nobody holds it. */
  public boolean tryLock() {
    return (int) HELD.getOpaque(this) == 0 && HELD.compareAndSet(this, 0, 1);
  }

  /** Gives the lock back. Only its holder may call this. */
  public void unlock() {
    HELD.setRelease(this, 0);
  }

  /** Lets another thread run: for waits whose end is another thread's progress. Never parks. */
  @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
  public static void giveWay() {
    Thread.yield();
  }
}
