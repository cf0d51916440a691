package dev.weir.netty.log;

import dev.weir.netty.refusal.MemoryRefusals;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells operators of failures of one kind that clients can bring about as often as they like. One a
 * minute is a warning, so that nobody can fill the log; the others are logged at {@code DEBUG}. Any
 * thread.
 */
public final class FailureLog {
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final System.Logger logger;
  private final LongSupplier clock;
  private final AtomicLong nextNanos;

  /**
   * Nothing has failed yet.
   *
   * @param owner whose package is the logger's name
   */
  public FailureLog(Class<?> owner) {
    this(owner, System::nanoTime);
  }

  /**
   * The same by another clock.
   *
   * @param clock in nanoseconds, from anywhere
   */
  FailureLog(Class<?> owner, LongSupplier clock) {
    this.logger = System.getLogger(owner.getPackageName());
    this.clock = clock;
    this.nextNanos = new AtomicLong(clock.getAsLong());
  }

  /**
   * Tells of a failure. A refusal of memory is no warning: a bound was set for that.
   *
   * @param failure null if it is no fault of this side
   */
  public void report(String what, @Nullable Throwable failure) {
    boolean warns = failure != null && !MemoryRefusals.isRefusal(failure) && isDue();
    logger.log(warns ? Level.WARNING : Level.DEBUG, what, failure);
  }

  private boolean isDue() {
    long now = clock.getAsLong();
    long next = nextNanos.get();
    return now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS);
  }
}
