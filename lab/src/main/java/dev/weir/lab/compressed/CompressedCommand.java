package dev.weir.lab.compressed;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.LimitOption;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.TextTable;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run compressed}. */
@Command(
    name = "compressed",
    description = {
      "Compressed responses, to clients that vanish or stay: what is live afterwards.",
      "Each allocator runs in a JVM of its own."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run compressed --vanish",
      "  weir lab run compressed --responses 1000000 --content 20000"
    })
public final class CompressedCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MAX_SECONDS = 3600;
  private static final int TENTHS = 10;

  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfSubject.class,
      defaultValue = "weir,netty-pooled",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<Subject> allocators;

  @Option(
      names = "--vanish",
      description =
          "Each client resets its connection when the first of the content has come, and the"
              + " sockets take so little that the service still holds the rest.")
  private boolean vanish;

  @Option(
      names = "--responses",
      defaultValue = "100000",
      paramLabel = "N",
      description = "How many are asked for (default: ${DEFAULT-VALUE}).")
  private int responses;

  @Option(
      names = "--content",
      converter = Converters.OfBytes.class,
      defaultValue = "200000",
      paramLabel = "SIZE",
      description = "How long each is, uncompressed (default: ${DEFAULT-VALUE}).")
  private long contentBytes;

  @Option(
      names = "--connections",
      defaultValue = "16",
      paramLabel = "N",
      description = "How many clients there are at a time (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Mixin private LimitOption limit;

  /** Made by picocli. */
  public CompressedCommand() {}

  @Override
  public Integer call() throws Exception {
    Checks checks = new Checks(spec);
    checks.require(
        allocators.stream().noneMatch(Subject::isGated),
        "--allocators",
        "without '+gate': nothing asks for admission here");
    checks.require(responses >= TENTHS, "--responses", "at least " + TENTHS);
    checks.require(connections > 0 && connections <= 1000, "--connections", "1 to 1000");
    checks.require(contentBytes > 0 && contentBytes <= 64 << 20, "--content", "at most 64M");
    long limitBytes = limit.atLeastMib(64, checks);
    CompressedPlan plan =
        new CompressedPlan(responses, vanish, (int) contentBytes, connections, limitBytes);
    TextTable table =
        new TextTable(
            "MiB",
            "responses",
            "seconds",
            "contexts",
            "in use",
            "RSS at 10 %",
            "RSS at end",
            "live at end",
            "GC ms");
    for (Subject subject : new LinkedHashSet<>(allocators)) {
      table.add(row(subject, plan));
    }
    spec.commandLine().getOut().print(table.render(spec.commandLine().getColorScheme().ansi()));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static String[] row(Subject subject, CompressedPlan plan) throws Exception {
    List<String> flags =
        ServiceFlags.within(plan.limitBytes(), "-Dio.netty.leakDetection.level=disabled");
    List<String> arguments =
        Stream.concat(Stream.of(subject.label()), plan.arguments().stream()).toList();
    try (ChildJvm child = ChildJvm.start(CompressedChild.class, flags, arguments)) {
      int port = Integer.parseInt(child.receive(PATIENCE));
      try (CompressedClients clients = new CompressedClients(port, plan.vanish())) {
        int first = plan.responses() / TENTHS;
        long start = System.nanoTime();
        ask(clients, first, plan);
        Map<String, Object> early = look(child);
        if (!clients.hasGivenUp()) {
          ask(clients, plan.responses() - first, plan);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        Map<String, Object> last = afterTheLast(child);
        Map<String, Object> end = ask(child, CompressedChild.END);
        return new String[] {
          subject.label(),
          clients.answered() + "/" + plan.responses(),
          String.format(Locale.ROOT, "%.1f", seconds),
          mib(last, "contextBytes"),
          number(last, "contextBytes") < 0
              ? "-"
              : Bytes.mib(number(last, "contextBytes") - number(last, "idleContextBytes")),
          mib(early, "rssBytes"),
          mib(last, "rssBytes"),
          mib(end, "liveBytes"),
          Long.toString(number(last, "gcMillis"))
        };
      }
    }
  }

  private static void ask(CompressedClients clients, int responses, CompressedPlan plan)
      throws Exception {
    clients.ask(responses, plan.connections()).get(MAX_SECONDS, TimeUnit.SECONDS);
  }

  /** What is seen when the server has done with all clients; connections close a moment earlier. */
  private static Map<String, Object> afterTheLast(ChildJvm child) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<String, Object> seen = look(child);
    while ((number(seen, "open") > 0
            || number(seen, "contextBytes") > number(seen, "idleContextBytes"))
        && System.nanoTime() < deadline) {
      seen = look(child);
    }
    return seen;
  }

  private static Map<String, Object> look(ChildJvm child) throws IOException {
    return ask(child, CompressedChild.LOOK);
  }

  private static Map<String, Object> ask(ChildJvm child, String what) throws IOException {
    child.send(what);
    return JsonLines.parse(child.receive(PATIENCE));
  }

  private static long number(Map<String, Object> seen, String key) {
    return seen.get(key) instanceof Number value ? value.longValue() : -1;
  }

  private static String mib(Map<String, Object> seen, String key) {
    long bytes = number(seen, key);
    return bytes < 0 ? "-" : Bytes.mib(bytes);
  }
}
