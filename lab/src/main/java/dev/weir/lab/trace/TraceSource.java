package dev.weir.lab.trace;

import java.io.Closeable;
import java.io.IOException;

/** A trace that is read or made event by event and never held whole. Used by one thread. */
public interface TraceSource extends Closeable {
  /** What the whole trace adds up to, known from the start. */
  TraceTotals totals();

  /**
   * Hands the next event, or a few that belong together, to {@code sink}.
   *
   * @return false if the trace has ended; then nothing was handed over
   * @throws TraceFormatException if what is stored is no trace, or only part of one
   */
  boolean step(TraceSink sink) throws IOException;

  /** Hands all that is left to {@code sink}. */
  default void drainTo(TraceSink sink) throws IOException {
    while (step(sink)) {
      // Each step is all there is to do.
    }
  }
}
