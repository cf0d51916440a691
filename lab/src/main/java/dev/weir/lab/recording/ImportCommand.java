package dev.weir.lab.recording;

import dev.weir.lab.options.Checks;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab import}. */
@Command(
    name = "import",
    description = {
      "Makes a trace of a Flight Recorder recording of any service on Netty 4.2.",
      "The events of its buffers have to be enabled in it."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  jcmd PID JFR.start settings=none filename=/tmp/service.jfr duration=60s \\",
      "    +io.netty.AllocateBuffer#enabled=true +io.netty.FreeBuffer#enabled=true \\",
      "    +io.netty.ReallocateBuffer#enabled=true",
      "  weir lab import /tmp/service.jfr -o service.trace",
      "  weir lab replay service.trace"
    })
public final class ImportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RECORDING", description = "A file that Flight Recorder wrote.")
  private Path recording;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "Where the trace goes.")
  private Path output;

  @Option(
      names = "--events",
      paramLabel = "COUNT",
      description = "Ends the trace after so many allocations, releases and pauses.")
  private @Nullable Long mostEvents;

  /** Made by picocli. */
  public ImportCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.requireWritable(output, "--output");
    checks.requireOther(output, "--output", recording);
    checks.require(mostEvents == null || mostEvents >= 1, "--events", "at least 1");
    BufferRecording buffers = open();
    TraceTotals totals;
    BufferHistory history;
    try (TraceWriter writer = TraceWriter.create(output)) {
      history = buffers.readInto(writer, mostEvents == null ? Long.MAX_VALUE : mostEvents);
      totals = writer.finish();
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s: %,d buffers of %s MiB, at most %s MiB live, %.1f s of pauses%n",
        output,
        totals.allocations(),
        Bytes.mib(totals.allocatedBytes()),
        Bytes.mib(totals.peakLiveBytes()),
        totals.pausedMicros() / 1e6);
    if (history.unknownEnds() + history.missedEnds() > 0) {
      out.printf(
          "%,d buffers older than the recording are left out; the ends of %,d others were not"
              + " told%n",
          history.unknownEnds(), history.missedEnds());
    }
    out.flush();
    return 0;
  }

  private BufferRecording open() {
    try {
      return BufferRecording.open(recording);
    } catch (IOException unreadable) {
      throw new ParameterException(spec.commandLine(), String.valueOf(unreadable.getMessage()));
    }
  }
}
