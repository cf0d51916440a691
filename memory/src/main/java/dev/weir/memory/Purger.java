package dev.weir.memory;

import java.lang.ref.WeakReference;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The daemon thread that looks after every pool of the process: purges what has decayed, trims idle
 * heaps, serves waiting grants. It refers to pools weakly, so that one that nothing else refers to
 * can go.
 */
final class Purger {
  /** How long it leaves alone what has failed: 100 ms. */
  private static final long PAUSE_NANOS = 100_000_000;

  private static final Purger INSTANCE = new Purger();

  private final CopyOnWriteArrayList<WeakReference<Chores>> charges = new CopyOnWriteArrayList<>();
  private @Nullable Thread thread;

  /**
   * Whether somebody has called since the last round began. A permit to park would not do: what the
   * thread runs for others, such as what hangs on the future of a grant, may use it up.
   */
  private volatile boolean called;

  private Purger() {}

  /** What the purger does for a pool. */
  interface Chores {
    /**
     * Does what is due.
     *
     * @return when to come again, as a {@link System#nanoTime} value
     */
    long doChores(long nowNanos);

    /** They have thrown something, and will be done again. Throws nothing. */
    void failed(Throwable failure);

    /** Whether nothing will ever be due again. */
    boolean isDone();
  }

  static void lookAfter(Chores chores) {
    INSTANCE.add(chores);
  }

  /** Makes the purger come at once. */
  static void wake() {
    INSTANCE.unpark();
  }

  private synchronized void add(Chores chores) {
    if (thread == null) {
      // Assigned once it runs: where no thread can be had now, the next pool tries again.
      // It lives for ever, and must not keep what belongs to whoever came first.
      thread =
          Thread.ofPlatform()
              .name("weir-purger")
              .daemon()
              .inheritInheritableThreadLocals(false)
              .start(this::run);
    }
    charges.add(new WeakReference<>(chores));
    called = true;
    LockSupport.unpark(thread);
  }

  private void unpark() {
    // Written once before any pool can call; a pool registers, and so synchronizes, before its
    // first wake.
    called = true;
    LockSupport.unpark(thread);
  }

  private void run() {
    while (true) {
      long sleepNanos;
      try {
        sleepNanos = goRound();
      } catch (RuntimeException | Error e) {
        // The Java heap is full, say, and has no room for the log's message either. Who waits for
        // memory waits for this thread.
        sleepNanos = PAUSE_NANOS;
      }
      // With an interrupt that a chore has left, the thread would never park again.
      Thread.interrupted();
      if (sleepNanos > 0 && !called) {
        LockSupport.parkNanos(this, sleepNanos);
      }
    }
  }

  private long goRound() {
    called = false;
    long now = System.nanoTime();
    long sleepNanos = Long.MAX_VALUE;
    for (WeakReference<Chores> charge : charges) {
      Chores chores = charge.get();
      if (chores == null || chores.isDone()) {
        charges.remove(charge);
      } else {
        sleepNanos = Math.min(sleepNanos, doChores(chores, now) - now);
      }
    }
    return sleepNanos;
  }

  private static long doChores(Chores chores, long now) {
    try {
      return chores.doChores(now);
    } catch (RuntimeException | Error e) {
      chores.failed(e);
      return now + PAUSE_NANOS;
    }
  }
}
