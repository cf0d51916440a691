package dev.weir.memory.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for short critical sections. Waiters spin, then {@linkplain #giveWay give way}; no event
 * loop and no carrier thread ever parks on it. Not reentrant.
 *
 * <p>Under it nobody may park, nor wait for a monitor: a virtual thread that gives its carrier back
 * gets another one when those who compute leave one, and they need not. So a lock that is taken
 * under others is an {@link #innermost} one.
 *
 * <p>{@link #unlock} is a release that pairs with the acquire of the next successful {@link
 * #tryLock}.
 */
public final class SpinLock {
  /** Spins before a waiter yields its time slice: about a microsecond. */
  private static final int SPINS = 64;

  /** How long a virtual thread gives way: 20 us, a few times a critical section. */
  private static final long VIRTUAL_PAUSE_NANOS = 20_000;

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

  private final boolean innermost;

  /** A lock that is never taken under another. */
  public SpinLock() {
    this(/* innermost= */ false);
  }

  private SpinLock(boolean innermost) {
    this.innermost = innermost;
  }

  /** A lock that may be taken under others: a virtual thread keeps its carrier while it waits. */
  public static SpinLock innermost() {
    return new SpinLock(/* innermost= */ true);
  }

  /** Takes the lock, however long that takes. */
  public void lock() {
    for (int spins = 0; !tryLock(); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else if (innermost) {
        giveWayMounted();
      } else {
        giveWay();
      }
    }
  }

  /**
   * Takes the lock if nobody holds it.
   *
   * @throws StackOverflowError if the stack has no room for giving it back
   */
  public boolean tryLock() {
    if (innermost) {
      StackRoom.require();
    } else {
      StackRoom.requireForNested();
    }
    return (int) HELD.getOpaque(this) == 0 && HELD.compareAndSet(this, 0, 1);
  }

  /** Gives the lock back. Only its holder may call this. */
  public void unlock() {
    HELD.setRelease(this, 0);
  }

  /**
   * Lets another thread run: for waits whose end is another thread's progress. A platform thread
   * yields. A virtual one parks for a moment, and its carrier goes on: virtual threads that only
   * yield can keep their carriers among themselves for ever, while the one that they wait for
   * stands in a queue that no carrier comes to look at.
   */
  @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
  public static void giveWay() {
    if (Thread.currentThread().isVirtual()) {
      // An interrupted thread does not park, and would keep its carrier. Its interrupt has also
      // left
      // a permit, which ends the first pause.
      boolean interrupted = Thread.interrupted();
      if (interrupted) {
        LockSupport.parkNanos(VIRTUAL_PAUSE_NANOS);
      }
      LockSupport.parkNanos(VIRTUAL_PAUSE_NANOS);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    } else {
      Thread.yield();
    }
  }

  /**
   * As {@link #giveWay}, for those whom others wait for: a virtual thread keeps its carrier, and
   * only tells the processor. What it waits for must be done by threads that keep theirs.
   */
  @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
  public static void giveWayMounted() {
    if (Thread.currentThread().isVirtual()) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }
}
