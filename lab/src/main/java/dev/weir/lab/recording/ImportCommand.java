package dev.weir.lab.recording;

import dev.weir.lab.options.Checks;
import java.io.IOException;
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
      "Makes a trace of a Flight Recorder recording of a service on Netty 4.2.3 or newer.",
      "The events of its buffers have to be enabled in it."
    },
    sortOptions = false,
    footer = {
      "",
      "Example ('weir lab record' does all of it at once):",
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
      description = "Ends the trace after so many allocations, growths and releases.")
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
    TraceFromRecording.write(
        buffers,
        output,
        mostEvents == null ? Long.MAX_VALUE : mostEvents,
        spec.commandLine().getOut());
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
