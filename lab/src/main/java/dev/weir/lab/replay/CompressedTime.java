package dev.weir.lab.replay;

import dev.weir.lab.trace.TotalsSink;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceReader;
import dev.weir.lab.trace.TraceSink;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A trace from a file without the time in which nothing worth waiting for happens: pauses below a
 * millisecond are left out, and longer ones cut to 2 s. Read once beforehand, to add it up. Used by
 * one thread.
 */
final class CompressedTime implements TraceSource {
  /** Less is not worth a timer. */
  static final long SHORTEST_PAUSE_MICROS = 1_000;

  /** Whatever has not been given back by then will not be. */
  static final long LONGEST_PAUSE_MICROS = 2_000_000;

  private final TraceReader file;
  private final TraceTotals totals;

  private CompressedTime(TraceReader file, TraceTotals totals) {
    this.file = file;
    this.totals = totals;
  }

  static TraceSource open(Path path) throws IOException {
    TotalsSink sums = new TotalsSink();
    try (TraceReader reader = TraceReader.open(path)) {
      reader.drainTo(new Filter(sums));
    }
    return new CompressedTime(TraceReader.open(path), sums.totals());
  }

  /** What a pause becomes; 0 if it is left out. */
  static long compressed(long micros) {
    return micros < SHORTEST_PAUSE_MICROS ? 0 : Math.min(micros, LONGEST_PAUSE_MICROS);
  }

  @Override
  public TraceTotals totals() {
    return totals;
  }

  @Override
  public boolean step(TraceSink sink) throws IOException {
    return file.step(new Filter(sink));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Passes everything on but time. */
  private record Filter(TraceSink sink) implements TraceSink {
    @Override
    public void allocate(int slot, int bytes) throws IOException {
      sink.allocate(slot, bytes);
    }

    @Override
    public void release(int slot) throws IOException {
      sink.release(slot);
    }

    @Override
    public void grow(int slot, int bytes) throws IOException {
      sink.grow(slot, bytes);
    }

    @Override
    public void thread(int thread) throws IOException {
      sink.thread(thread);
    }

    @Override
    public void lost(long events) throws IOException {
      sink.lost(events);
    }

    @Override
    public void phase(TracePhase phase) throws IOException {
      sink.phase(phase);
    }

    @Override
    public void pause(long micros) throws IOException {
      long left = compressed(micros);
      if (left > 0) {
        sink.pause(left);
      }
    }
  }
}
