package dev.weir.lab.recording;

import dev.weir.lab.options.Checks;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab record}. */
@Command(
    name = "record",
    description = {
      "Records the buffers of a running service on Netty 4.2.3 or newer, as a trace.",
      "It asks the service's JVM for a Flight Recorder recording of these events alone."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab record 4711 --for 60s -o service.trace",
      "  weir lab record 4711 --events-of io.grpc.netty.shaded.io.netty. -o grpc.trace"
    })
public final class RecordCommand implements Callable<Integer> {
  private static final String NAME = "weir-lab";
  private static final int MOST_SECONDS = 3_600;
  private static final int WAIT_SECONDS = 60;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PID", description = "The service's process, of the same user.")
  private long pid;

  @Option(
      names = "--for",
      defaultValue = "60s",
      paramLabel = "TIME",
      description = "How long: seconds, 90s or 5m (default: ${DEFAULT-VALUE}).")
  private String time;

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

  @Option(
      names = "--events-of",
      defaultValue = "io.netty.",
      paramLabel = "PREFIX",
      description = "What the events' names begin with (default: ${DEFAULT-VALUE}).")
  private String prefix;

  /** Made by picocli. */
  public RecordCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    int seconds = seconds(time);
    checks.require(seconds >= 1 && seconds <= MOST_SECONDS, "--for", "1s to 60m");
    checks.require(mostEvents == null || mostEvents >= 1, "--events", "at least 1");
    checks.requireWritable(output, "--output");
    Path recording = Files.createTempFile("weir-lab-", ".jfr");
    try {
      record(recording, seconds);
      BufferRecording buffers;
      try {
        buffers = BufferRecording.open(recording);
      } catch (IOException none) {
        throw new ParameterException(
            spec.commandLine(),
            "process %d told of no direct buffers in %d s: %s"
                .formatted(pid, seconds, none.getMessage()));
      }
      TraceFromRecording.write(
          buffers,
          output,
          mostEvents == null ? Long.MAX_VALUE : mostEvents,
          spec.commandLine().getOut());
    } finally {
      Files.deleteIfExists(recording);
    }
    return 0;
  }

  private void record(Path recording, int seconds) throws IOException {
    List<String> start = new ArrayList<>(List.of("JFR.start", "name=" + NAME, "settings=none"));
    start.addAll(BufferEvents.switches(prefix));
    start.add("+jdk.DataLoss#enabled=true");
    jcmd(start);
    Thread stop = new Thread(this::stopQuietly, "stop-recording");
    Runtime.getRuntime().addShutdownHook(stop);
    ProgressLine progress = ProgressLine.everywhere();
    try {
      for (int i = 0; i < seconds; i++) {
        progress.show("recording " + pid, i, seconds, "seconds");
        Waiting.millis(1_000);
      }
    } finally {
      progress.clear();
    }
    jcmd(List.of("JFR.stop", "name=" + NAME, "filename=" + recording));
    Runtime.getRuntime().removeShutdownHook(stop);
  }

  private void stopQuietly() {
    try {
      jcmd(List.of("JFR.stop", "name=" + NAME));
    } catch (IOException gone) {
      // The service has ended, and the recording with it.
    }
  }

  private void jcmd(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    command.add(Long.toString(pid));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroy();
        throw new IOException(
            "process %d cannot be recorded: %s"
                .formatted(pid, String.join(" | ", said.strip().lines().toList())));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while talking to process " + pid);
    }
  }

  private int seconds(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    boolean minutes = lower.endsWith("m");
    String number = minutes || lower.endsWith("s") ? lower.substring(0, lower.length() - 1) : lower;
    try {
      return Math.multiplyExact(Integer.parseInt(number), minutes ? 60 : 1);
    } catch (NumberFormatException | ArithmeticException malformed) {
      throw new ParameterException(
          spec.commandLine(),
          "--for: '%s' is no time such as 90s or 5m".formatted(text),
          malformed);
    }
  }
}
