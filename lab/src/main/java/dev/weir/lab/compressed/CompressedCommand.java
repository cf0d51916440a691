package dev.weir.lab.compressed;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.contender.ZstdContender;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.JsonOption;
import dev.weir.lab.options.LimitOption;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
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
      "  weir lab run compressed --responses 1000000 --content 20000 --zstd system,jni"
    })
public final class CompressedCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MAX_SECONDS = 3600;
  private static final int TENTHS = 10;

  /** Netty's handler has one zstd. */
  private static final Set<ZstdContender> PLAIN = Set.of(ZstdContender.BEST);

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

  @Option(
      names = "--zstd",
      split = ",",
      converter = OfZstd.class,
      defaultValue = "best",
      paramLabel = "NAME",
      description = {
        "What Weir's handler calls: system (libzstd), jni (zstd-jni), or best, which",
        "is the system's if there is one (default: ${DEFAULT-VALUE})."
      })
  private List<ZstdContender> zstds;

  @Mixin private LimitOption limit;
  @Mixin private JsonOption json;

  /** Labels of {@link ZstdContender}. */
  static final class OfZstd extends Converters<ZstdContender> {
    OfZstd() {
      super(ZstdContender::of);
    }
  }

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
    for (ZstdContender zstd : zstds) {
      checks.require(zstd.isPresent(), "--zstd", "best or jni: this system has no libzstd.so.1");
    }
    json.require(checks);
    CompressedPlan plan =
        new CompressedPlan(
            responses, vanish, (int) contentBytes, connections, limitBytes, ZstdContender.BEST);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Subject subject : new LinkedHashSet<>(allocators)) {
      for (ZstdContender zstd : subject.isWeir() ? new LinkedHashSet<>(zstds) : PLAIN) {
        rows.add(row(subject, plan.with(zstd)));
        json.write(rows);
      }
    }
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    spec.commandLine().getOut().print(CompressedTable.render(rows, ansi));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static Map<String, Object> row(Subject subject, CompressedPlan plan) throws Exception {
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
        long contextBytes = number(last, "contextBytes");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("allocator", subject.label());
        row.put("zstd", plan.zstd().label());
        row.put("vanish", plan.vanish());
        row.put("contentBytes", plan.contentBytes());
        row.put("responses", plan.responses());
        row.put("answered", clients.answered());
        row.put("seconds", Math.round(seconds * 1000) / 1000.0);
        if (contextBytes >= 0) {
          row.put("contextBytes", contextBytes);
          row.put("usedContextBytes", contextBytes - number(last, "idleContextBytes"));
        }
        row.put("rssBytesAtTenth", number(early, "rssBytes"));
        row.put("rssBytes", number(last, "rssBytes"));
        if (number(end, "liveBytes") >= 0) {
          row.put("liveBytes", number(end, "liveBytes"));
        }
        row.put("gcMillis", number(last, "gcMillis"));
        return row;
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
}
