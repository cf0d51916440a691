package dev.weir.server.top;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir top}: shows a node's memory until Ctrl-C. */
@Command(
    name = "top",
    description = "Shows where a node's memory is, again and again.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir top",
      "  weir top http://localhost:4437 --interval 5",
      "  weir top --once | head -n 4",
      "",
      "In the map # is full of blocks, - live with few blocks, : dirty; the rest is clean.",
      "On a terminal: q or Ctrl-C ends it; c shows the code that holds memory, with stacks, and j",
      "and k scroll there; m or Tab leads back; p or space pauses."
    })
public final class TopCommand implements Callable<Integer> {
  private static final int MAX_INTERVAL_SECONDS = 3600;

  /** What a script gets: wide, and everything. */
  private static final Terminal PAPER = new Terminal(100, 1000);

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "URL",
      arity = "0..1",
      description = "The node. Default: ${DEFAULT-VALUE}.",
      defaultValue = "http://localhost:4437")
  private String url;

  @Option(names = "--once", description = "Prints the figures once, without colours, and ends.")
  private boolean once;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "How often to look. Default: ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private int intervalSeconds;

  /** Made by picocli. */
  public TopCommand() {}

  @Override
  public Integer call() throws IOException {
    if (intervalSeconds < 1 || intervalSeconds > MAX_INTERVAL_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--interval': %d is not in 1..%d"
              .formatted(intervalSeconds, MAX_INTERVAL_SECONDS));
    }
    PrintWriter out = spec.commandLine().getOut();
    try (NodeClient node = client()) {
      if (once) {
        print(out, Screen.lines(node.figures(), node.name(), PAPER.columns(), PAPER.rows(), false));
      } else if (Terminal.isThere()) {
        new LiveScreen(node, out, Duration.ofSeconds(intervalSeconds)).show();
      } else {
        printForEver(node, out);
      }
    }
    return ExitCode.OK;
  }

  private NodeClient client() {
    try {
      return new NodeClient(url);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for 'URL': '%s' is %s".formatted(url, reason(e)), e);
    }
  }

  private static String reason(IllegalArgumentException e) {
    return String.valueOf(e.getMessage()).startsWith("not the URL")
        ? String.valueOf(e.getMessage())
        : "not a URL";
  }

  private static void print(PrintWriter out, List<String> lines) {
    lines.forEach(out::println);
    out.flush();
  }

  /** Into a file or a pipe: one page after another. */
  private void printForEver(NodeClient node, PrintWriter out) throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    do {
      print(out, Screen.lines(node.figures(), node.name(), PAPER.columns(), PAPER.rows(), false));
      out.println();
    } while (!out.checkError() && !ends(never));
  }

  /** Waits for the next look; true if there is to be none. */
  private boolean ends(CountDownLatch stop) {
    try {
      return stop.await(Duration.ofSeconds(intervalSeconds).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
