package dev.weir.compression.http;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Tells operators what has kept responses from being compressed. Want of memory is told at {@code
 * DEBUG}: that bound was set. Of what is broken one report a minute is a warning, since each
 * response may meet it. Any thread.
 */
final class UncompressedLog {
  static final UncompressedLog OF_PROCESS = new UncompressedLog(System::nanoTime);

  private static final System.Logger LOG =
      System.getLogger(HttpResponseCompressor.class.getPackageName());
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanos;
  private final AtomicLong warnsFrom;

  /**
   * Warns of the first.
   *
   * @param nanos a clock, from anywhere
   */
  UncompressedLog(LongSupplier nanos) {
    this.nanos = nanos;
    this.warnsFrom = new AtomicLong(nanos.getAsLong());
  }

  /** A response goes as it is, or not at all where the client takes no other. Throws nothing. */
  void report(Throwable failure) {
    try {
      boolean warns = !(failure instanceof OutOfMemoryError) && isTimeForAWarning();
      LOG.log(warns ? Level.WARNING : Level.DEBUG, "a response is not compressed", failure);
    } catch (RuntimeException | Error untold) {
      // The response matters more.
    }
  }

  private boolean isTimeForAWarning() {
    long now = nanos.getAsLong();
    long from = warnsFrom.get();
    return now - from >= 0 && warnsFrom.compareAndSet(from, now + PAUSE_NANOS);
  }
}
