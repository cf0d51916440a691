package dev.weir.lab.replay;

import dev.weir.lab.trace.TraceTotals;
import java.util.function.DoubleConsumer;

/** How much of a trace is behind, and a listener that is told now and then. Not thread-safe. */
final class ReplayProgress {
  private static final long TELL_EVERY_NANOS = 100_000_000;

  /** A second of pause counts as a fiftieth of all bytes that move; all pauses as at most all. */
  private static final double PAUSE_SHARE_PER_SECOND = 0.02;

  private static final double MICROS_PER_SECOND = 1e6;

  private final double bytesPerPauseMicro;
  private final double total;
  private final DoubleConsumer listener;
  private double done;
  private long toldNanos = System.nanoTime();

  /**
   * Begins at nothing.
   *
   * @param pauseMicros the pauses of the replay, which may be more than those of the trace
   */
  ReplayProgress(TraceTotals totals, long pauseMicros, DoubleConsumer listener) {
    double moved = Math.max(1, totals.movedBytes());
    double perMicro = moved * PAUSE_SHARE_PER_SECOND / MICROS_PER_SECOND;
    this.bytesPerPauseMicro = Math.min(perMicro, moved / Math.max(1, pauseMicros));
    this.total = moved + bytesPerPauseMicro * pauseMicros;
    this.listener = listener;
  }

  void moved(long bytes) {
    done += bytes;
  }

  void paused(long micros) {
    done += bytesPerPauseMicro * micros;
  }

  /** From 0 to 1. */
  double share() {
    return Math.min(1, done / total);
  }

  void tell() {
    long now = System.nanoTime();
    if (now - toldNanos >= TELL_EVERY_NANOS) {
      toldNanos = now;
      listener.accept(share());
    }
  }
}
