package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.benchmarks.streams.process.StreamServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Appends by {@code wrk -t1 -c64}, which takes less of the processors than a JVM would.
 *
 * @param program where it is
 */
record Wrk(Path program) implements AppendLoad {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final double MICROS_PER_MILLI = 1_000;

  /** Requests of all streams are made beforehand where they take no more than this. */
  private static final long KEPT_BYTES = 64 << 20;

  private static final Pattern RESULT = Pattern.compile("weir (\\d+) (\\d+) (\\d+) (\\d+)");

  static Optional<AppendLoad> find() {
    return StreamServer.onPath("wrk").map(Wrk::new);
  }

  @Override
  public String label() {
    return "wrk -t1 -c" + CONNECTIONS;
  }

  @Override
  public Load run(Target target, int bytes, Duration length) throws IOException {
    Path script = Files.createTempFile("weir-bench-", ".lua");
    try {
      Files.writeString(script, script(target, bytes));
      // It takes whole seconds.
      long seconds = Math.max(1, length.toSeconds());
      return parse(
          output(
              List.of(
                  program.toString(),
                  "-t1",
                  "-c" + CONNECTIONS,
                  "-d" + seconds + "s",
                  "--timeout",
                  "30s",
                  "-s",
                  script.toString(),
                  "http://127.0.0.1:" + target.server().getPort())));
    } finally {
      Files.delete(script);
    }
  }

  private static String script(Target target, int bytes) {
    boolean keeps = (long) target.streams() * bytes <= KEPT_BYTES;
    String path = target.path(0).replaceFirst("0$", "");
    return """
    local body = string.rep("x", %d)
    local head = " HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/octet-stream"
      .. "\\r\\nContent-Length: " .. #body .. "\\r\\n\\r\\n" .. body
    local streams = %d
    local function make(number) return "POST %s" .. number .. head end
    local kept = {}
    if %s then for number = 1, streams do kept[number] = make(number) end end
    local number = 0
    request = function()
      number = number %% streams + 1
      return kept[number] or make(number)
    end
    done = function(summary, latency, requests)
      local errors = summary.errors
      io.write(string.format("weir %%d %%d %%d %%d\\n", summary.requests, summary.duration,
        latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
    end
    """
        .formatted(bytes, target.streams(), path, keeps);
  }

  private static String output(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread killer = new Thread(process::destroyForcibly, "stop-wrk");
    Runtime.getRuntime().addShutdownHook(killer);
    try {
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      process.waitFor();
      Runtime.getRuntime().removeShutdownHook(killer);
      return output;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new InterruptedIOException("interrupted while wrk runs");
    } catch (IllegalStateException shuttingDown) {
      throw new IOException("wrk was stopped", shuttingDown);
    }
  }

  static Load parse(String output) throws IOException {
    Matcher result = RESULT.matcher(output);
    if (!result.find()) {
      throw new IOException("wrk says: " + output.strip());
    }
    long failures = Long.parseLong(result.group(4));
    return new Load(
        Long.parseLong(result.group(1)) - failures,
        failures,
        (double) Long.parseLong(result.group(2)) / MICROS_PER_SECOND,
        Long.parseLong(result.group(3)) / MICROS_PER_MILLI);
  }
}
