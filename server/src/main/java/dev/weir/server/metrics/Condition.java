package dev.weir.server.metrics;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Something about a node that whoever runs it should hear of. It is logged once when it begins and
 * once when it is over, however often it is met: it is over when it has not been met for {@link
 * #QUIET}. Any thread may meet it.
 */
final class Condition {
  /** Long enough that a condition which comes and goes is one. */
  static final Duration QUIET = Duration.ofSeconds(10);

  /** Where lines go. */
  interface Log {
    void line(System.Logger.Level level, String text);
  }

  private final String begins;
  private final String ends;
  private final LongSupplier nanoTime;
  private final Log log;
  private long times;
  private long firstNanos;
  private long lastNanos;

  /**
   * Makes one that does not hold.
   *
   * @param begins the line for its beginning; a detail follows
   * @param ends the line for its end; how often and for how long it was met follows
   */
  Condition(String begins, String ends, LongSupplier nanoTime, Log log) {
    this.begins = begins;
    this.ends = ends;
    this.nanoTime = nanoTime;
    this.log = log;
  }

  /** It holds now. */
  void met(String detail) {
    if (count() == 1) {
      log.line(System.Logger.Level.WARNING, begins + detail);
    }
  }

  private synchronized long count() {
    lastNanos = nanoTime.getAsLong();
    if (times == 0) {
      firstNanos = lastNanos;
    }
    return ++times;
  }

  /** Sees whether it is over; to be called again and again. */
  void look() {
    long met;
    long seconds;
    synchronized (this) {
      if (times == 0 || nanoTime.getAsLong() - lastNanos < QUIET.toNanos()) {
        return;
      }
      met = times;
      seconds = Duration.ofNanos(lastNanos - firstNanos).toSeconds();
      times = 0;
    }
    log.line(
        System.Logger.Level.INFO,
        "%s (%s in %,d s)"
            .formatted(ends, met == 1 ? "once" : "%,d times".formatted(met), seconds));
  }
}
