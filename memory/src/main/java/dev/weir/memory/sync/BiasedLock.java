package dev.weir.memory.sync;

import dev.weir.memory.os.ProcessBarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A lock for short critical sections that many threads may take and one takes most of the time.
 * After a platform thread has taken it often enough in a row, it is biased towards that thread,
 * which then takes and leaves it without an atomic, until another thread {@linkplain #tryTakeOver
 * takes it over}. Not reentrant. Nobody ever parks on it, but for virtual threads in {@link
 * #tryLock(long)}.
 *
 * <p>What was done before an {@link #unlock} happens before what is done by whoever has the lock
 * next.
 *
 * <p>The idea is from K. Kawachiya, A. Koseki, T. Onodera, "Lock Reservation: Java Locks Can Mostly
 * Do Without Atomic Operations", OOPSLA 2002.
 */
/*
 * While the lock is biased, `held` stays 1 from the owner's point of view and everybody else's: others fail as they do
 * where somebody is at work, without a look at anything else. The owner and whoever takes over meet in two words:
 *
 *   owner:       inside := true;  light barrier;  bias still mine?  no: inside := false
 *   taking over: bias := null;    heavy barrier;  wait until inside is false;  the lock is held, and not biased
 *
 * Each bias is an object of its own: an owner that was interrupted between its first look and `inside` cannot disturb
 * the bias that came after. Threads are known by their ids, which are never used again, so that none is kept reachable.
 */
public final class BiasedLock {
  /** Taken so often in a row by one thread, biasing pays even if it is taken over right after. */
  private static final int BIAS_AFTER = 512;

  /** Spins before whoever takes over gives way: about a microsecond. */
  private static final int SPINS = 64;

  private static final VarHandle HELD;
  private static final VarHandle BIAS;
  private static final VarHandle INSIDE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HELD = lookup.findVarHandle(BiasedLock.class, "held", int.class);
      BIAS = lookup.findVarHandle(BiasedLock.class, "bias", Bias.class);
      INSIDE = lookup.findVarHandle(Bias.class, "inside", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final class Bias {
    final long threadId;

    /** Whether the owner is in its critical section, or about to look whether it may. */
    @SuppressWarnings("UnusedVariable") // through INSIDE
    boolean inside;

    Bias(long threadId) {
      this.threadId = threadId;
    }
  }

  private final int biasAfter;

  @SuppressWarnings("UnusedVariable") // through HELD
  private int held;

  /** Whom the lock is biased towards; null from the moment on that somebody takes it over. */
  @SuppressWarnings("UnusedVariable") // through BIAS
  private @Nullable Bias bias;

  /** How many wait in {@link #lock}. */
  private final AtomicInteger awaited = new AtomicInteger();

  // Under the lock.

  /** The bias by which the lock is held; null if it is held by its own word. */
  private @Nullable Bias holding;

  private long lastThreadId;
  private int timesInARow;

  /** A lock that nobody holds. */
  public BiasedLock() {
    this(BIAS_AFTER);
  }

  /** With another number of times in a row after which it is biased. */
  BiasedLock(int biasAfter) {
    this.biasAfter = biasAfter;
  }

  /**
   * Takes the lock if nobody holds it and it is not biased towards another thread.
   *
   * @throws StackOverflowError if the stack has no room for giving it back
   */
  public boolean tryLock() {
    StackRoom.requireForNested();
    Bias mine = ownBias();
    if (mine != null) {
      return tryEnter(mine);
    }
    if ((int) HELD.getOpaque(this) != 0 || !HELD.compareAndSet(this, 0, 1)) {
      return false;
    }
    boolean counted = false;
    try {
      countInARow(Thread.currentThread()); // Makes an object now and then.
      counted = true;
    } finally {
      if (!counted) {
        HELD.setRelease(this, 0);
      }
    }
    return true;
  }

  /**
   * Takes the lock if it is biased towards the calling thread: without an atomic, or not at all.
   *
   * @throws StackOverflowError if the stack has no room for giving it back
   */
  public boolean tryLockBiased() {
    StackRoom.requireForNested();
    Bias mine = ownBias();
    return mine != null && tryEnter(mine);
  }

  /** Whether it is biased towards the calling thread. */
  public boolean isBiasedTowardsCaller() {
    return ownBias() != null;
  }

  private @Nullable Bias ownBias() {
    Bias found = (Bias) BIAS.getOpaque(this);
    return found != null && found.threadId == Thread.currentThread().threadId() ? found : null;
  }

  @SuppressWarnings("ReferenceEquality") // a bias is its identity
  private boolean tryEnter(Bias mine) {
    if ((boolean) INSIDE.getOpaque(mine)) {
      return false; // The owner is inside already.
    }
    INSIDE.setOpaque(mine, true);
    ProcessBarrier.light();
    if ((Bias) BIAS.getOpaque(this) == mine) {
      return true;
    }
    INSIDE.setOpaque(mine, false);
    return false;
  }

  private void countInARow(Thread thread) {
    if (lastThreadId != thread.threadId()) {
      lastThreadId = thread.threadId();
      timesInARow = 1;
    } else if (++timesInARow == biasAfter && !thread.isVirtual()) {
      biasTowards(lastThreadId);
    }
  }

  /** The lock stays held from now on, by the bias. */
  private void biasTowards(long threadId) {
    timesInARow = 0;
    Bias fresh = new Bias(threadId); // May fail: the lock is held by its own word until then.
    fresh.inside = true;
    holding = fresh;
    BIAS.setRelease(this, fresh);
  }

  /**
   * Takes the lock if nobody holds it or waits for it in {@link #lock}, also from a thread that it
   * is biased towards: that costs a few microseconds.
   */
  public boolean tryTakeOver() {
    return !isAwaited() && tryTakeAnyway();
  }

  /** Whether somebody waits for it in {@link #lock}. */
  final boolean isAwaited() {
    return awaited.getOpaque() != 0;
  }

  private boolean tryTakeAnyway() {
    if (tryLock()) {
      return true;
    }
    Bias old = (Bias) BIAS.getAcquire(this);
    return old != null && !(boolean) INSIDE.getOpaque(old) && takeOver(old);
  }

  /** Ends a bias and takes the lock; false if somebody else has ended it. */
  private boolean takeOver(Bias old) {
    if (!BIAS.compareAndSet(this, old, (Bias) null)) {
      return false;
    }
    boolean alone = false;
    try {
      ProcessBarrier.heavy();
      awaitLeft(old);
      alone = true;
    } finally {
      if (!alone) {
        bias = old;
        VarHandle.fullFence();
      }
    }
    holding = null;
    timesInARow = 0;
    return true;
  }

  private static void awaitLeft(Bias old) {
    for (int spins = 0; (boolean) INSIDE.getAcquire(old); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        SpinLock.giveWayMounted(); // Nobody else can take the lock meanwhile.
      }
    }
  }

  /**
   * Takes the lock, unless its holder keeps it for longer: the system may have interrupted that
   * one. Those who wait for it in {@link #lock} go before, as long as patience lasts.
   *
   * @return whether it was taken
   */
  public boolean tryLock(long patienceNanos) {
    long begunNanos = 0;
    for (int spins = 0; !tryTakeOver(); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else if (spins == SPINS) {
        begunNanos = System.nanoTime();
      } else if (System.nanoTime() - begunNanos > patienceNanos) {
        return tryTakeAnyway(); // Who waits for it may not have run for as long.
      } else {
        SpinLock.giveWay();
      }
    }
    return true;
  }

  /**
   * Takes the lock, however long that takes, and before those that could do without: who takes it
   * again and again leaves nothing to somebody who has just given way.
   */
  public void lock() {
    if (tryTakeAnyway()) {
      return;
    }
    awaited.incrementAndGet();
    try {
      for (int spins = 0; !tryTakeAnyway(); spins++) {
        if (spins < SPINS) {
          Thread.onSpinWait();
        } else {
          SpinLock.giveWayMounted(); // Others step back meanwhile.
        }
      }
    } finally {
      awaited.decrementAndGet();
    }
  }

  /** Gives the lock back. Only its holder may call this. */
  public void unlock() {
    Bias mine = holding;
    if (mine != null) {
      INSIDE.setRelease(mine, false);
    } else {
      HELD.setRelease(this, 0);
    }
  }
}
