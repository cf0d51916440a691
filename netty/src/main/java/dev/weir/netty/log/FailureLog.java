package dev.weir.netty.log;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells operators of failures of one kind that clients can bring about as often as they like. One a
 * minute is a warning, so that nobody can fill the log; the others are logged at {@code DEBUG}. Any
 * thread; nothing throws, since whatever is done about a failure matters more.
 */
public final class FailureLog {
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String name;
  private final LongSupplier clock;
  private final AtomicLong nextNanos;

  /** Asked for when it is wanted, and again if there was no Java heap for it. */
  private volatile System.@Nullable Logger logger;

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
    this.name = owner.getPackageName();
    this.clock = clock;
    this.nextNanos = new AtomicLong(clock.getAsLong());
  }

  /**
   * Tells of a failure. Want of memory is never a warning: mostly it is a bound that was set, and
   * where it is the Java heap, or a thread, there are others to tell of it.
   *
   * @param failure null if it is no fault of this side
   */
  public void report(String what, @Nullable Throwable failure) {
    try {
      boolean warns = failure != null && !(failure instanceof OutOfMemoryError) && isDue();
      logger().log(warns ? Level.WARNING : Level.DEBUG, what, failure);
    } catch (Throwable unlogged) {
      // A full Java heap has no room for this.
    }
  }

  private boolean isDue() {
    long now = clock.getAsLong();
    long next = nextNanos.get();
    return now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS);
  }

  private System.Logger logger() {
    System.Logger known = logger;
    if (known == null) {
      known = System.getLogger(name);
      logger = known;
    }
    return known;
  }
}
