package dev.weir.netty.http;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Tells operators why requests were refused where that is neither the client's fault nor a bound
 * that was set: a disk that is full, an admission that fails. One a minute is a warning, so that
 * clients cannot fill the log; the others are logged at {@code DEBUG}. Any thread.
 */
final class RefusalLog {
  static final RefusalLog OF_PROCESS = new RefusalLog(System::nanoTime);

  private static final System.Logger LOG = System.getLogger(RefusalLog.class.getPackageName());
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier clock;
  private final AtomicLong nextNanos;

  /**
   * Nothing has been refused yet.
   *
   * @param clock in nanoseconds, from anywhere
   */
  RefusalLog(LongSupplier clock) {
    this.clock = clock;
    this.nextNanos = new AtomicLong(clock.getAsLong());
  }

  /** Does nothing but load this class. */
  static void load() {}

  /** A request was refused because of a failure. Throws nothing. */
  void report(String what, Throwable failure) {
    try {
      long now = clock.getAsLong();
      long next = nextNanos.get();
      boolean due = now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS);
      LOG.log(due ? Level.WARNING : Level.DEBUG, what, failure);
    } catch (RuntimeException | Error unlogged) {
      // The client's answer matters more; a full Java heap has no room for either.
    }
  }
}
