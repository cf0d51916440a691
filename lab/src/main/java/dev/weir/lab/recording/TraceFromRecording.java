package dev.weir.lab.recording;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/** Writes a trace of a recording, and says what is in it. */
final class TraceFromRecording {
  private TraceFromRecording() {}

  static void write(BufferRecording buffers, Path output, long mostEvents, PrintWriter out)
      throws IOException {
    TraceTotals totals;
    BufferHistory history;
    try (TraceWriter writer = TraceWriter.create(output)) {
      history = buffers.readInto(writer, mostEvents);
      totals = writer.finish();
    }
    out.printf(
        "%s: %,d buffers of %s MiB on %,d threads, at most %s MiB live, %.1f s%n",
        output,
        totals.allocations(),
        Bytes.mib(totals.allocatedBytes()),
        totals.threads(),
        Bytes.mib(totals.peakLiveBytes()),
        totals.pausedMicros() / 1e6);
    if (totals.older() + totals.lost() + history.unknownEnds() > 0) {
      out.printf(
          "%,d buffers are older than the recording; %,d events were lost, and %,d ends were of"
              + " buffers nothing was told of%n",
          totals.older(), totals.lost(), history.unknownEnds());
    }
    out.flush();
  }
}
