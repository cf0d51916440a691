package dev.weir.lab.replay;

import dev.weir.lab.trace.TraceTotals;
import java.util.function.DoubleConsumer;

/**
 * How much of a trace is behind, and a listener that is told now and then. Events and bytes count
 * half each, so that phases of many small blocks and of few large ones both have room in a chart.
 * Not thread-safe.
 */
final class ReplayProgress {
  private static final long TELL_EVERY_NANOS = 100_000_000;

  /** A second of pause counts as a fiftieth of everything else; all pauses as at most as much. */
  private static final double PAUSE_PER_SECOND = 0.02;

  private static final double MICROS_PER_SECOND = 1e6;

  private final double perEvent;
  private final double perByte;
  private final double perPauseMicro;
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
    this.perEvent = 0.5 / Math.max(1, totals.events());
    this.perByte = 0.5 / Math.max(1, totals.movedBytes());
    this.perPauseMicro =
        Math.min(PAUSE_PER_SECOND / MICROS_PER_SECOND, 1.0 / Math.max(1, pauseMicros));
    this.total = 1 + perPauseMicro * pauseMicros;
    this.listener = listener;
  }

  /** A block has begun or ended to live. */
  void moved(long bytes) {
    done += perEvent + perByte * bytes;
  }

  void paused(long micros) {
    done += perPauseMicro * micros;
  }

  /** From 0 to 1. */
  double share() {
    return Math.min(1, done / total);
  }

  /** Tells the listener, if it has not been told for a while. */
  void tell() {
    long now = System.nanoTime();
    if (now - toldNanos >= TELL_EVERY_NANOS) {
      toldNanos = now;
      listener.accept(share());
    }
  }
}
