package dev.weir.lab.slowclients;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.JsonOption;
import dev.weir.lab.options.LimitOption;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run slow-clients}. */
@Command(
    name = "slow-clients",
    description = {
      "A thousand slow uploads, downloads, or both: who gets through, who has to wait.",
      "Of a hundred clients, 90 move 1 to 10 KB at 100 KB/s, nine 1 MB at 1 MB/s, and one is"
          + " large.",
      "Uploads are held whole. Meanwhile a small request goes out every 20 ms on a connection of",
      "its own. Each allocator runs in a JVM of its own; '+gate' puts a count of admitted bytes in",
      "front of it, and sends chunk by chunk. With the default sizes and limit, which goals Weir",
      "reaches is printed too."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run slow-clients",
      "  weir lab run slow-clients --directions both --allocators weir --json slow.jsonl"
    })
public final class SlowClientsCommand implements Callable<Integer> {
  /** What one buffer has room for. */
  private static final long MAX_LARGE_BYTES = 1 << 30;

  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfSubject.class,
      defaultValue = "weir,netty-pooled,netty-adaptive,netty-adaptive+gate",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<Subject> allocators;

  @Option(
      names = "--directions",
      split = ",",
      converter = OfDirection.class,
      defaultValue = "uploads,downloads,both",
      paramLabel = "WHAT",
      description = "What the clients do (default: ${DEFAULT-VALUE}).")
  private List<Direction> directions;

  @Mixin private JsonOption json;

  @Option(
      names = "--clients",
      defaultValue = "" + SlowClientsPlan.CLIENTS,
      paramLabel = "N",
      description = "Clients of each kind, all at once (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--large",
      converter = Converters.OfBytes.class,
      defaultValue = "" + SlowClientsPlan.LARGE_BYTES,
      paramLabel = "SIZE",
      description = "Length of the large bodies (default: ${DEFAULT-VALUE}).")
  private long largeBytes;

  @Option(
      names = "--large-rate",
      converter = Converters.OfBytes.class,
      defaultValue = "" + SlowClientsPlan.LARGE_PACE,
      paramLabel = "SIZE",
      description = "Bytes a second of each of those (default: ${DEFAULT-VALUE}).")
  private long largePace;

  @Mixin private LimitOption limit;

  @Option(
      names = "--warm-up",
      defaultValue = "4000",
      paramLabel = "N",
      description = "Small requests that go first (default: ${DEFAULT-VALUE}).")
  private int warmUps;

  /** Directions by their labels. */
  static final class OfDirection extends Converters<Direction> {
    OfDirection() {
      super(Direction::of);
    }
  }

  /** Made by picocli. */
  public SlowClientsCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.require(clients > 0 && clients <= 10_000, "--clients", "between 1 and 10000");
    checks.require(warmUps >= 0 && warmUps <= 1_000_000, "--warm-up", "between 0 and 1000000");
    long limitBytes = limit.atLeastMib(32, checks);
    checks.require(
        largeBytes >= 1_000_000 && largeBytes <= Math.min(MAX_LARGE_BYTES, limitBytes - (24 << 20)),
        "--large",
        "at least 1000000, at most 1G, and 24M less than --limit");
    checks.require(largePace >= 64 * 1024, "--large-rate", "at least 64K");
    json.require(checks);
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (Direction direction : new LinkedHashSet<>(directions)) {
      SlowClients run =
          new SlowClients(plan(direction, limitBytes), warmUps, ProgressLine.onTerminal());
      for (Subject subject : new LinkedHashSet<>(allocators)) {
        rows.add(run.run(subject));
        json.write(rows);
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    out.print(SlowClientsTable.render(rows, ansi));
    if (plan(Direction.BOTH, limitBytes).isAsDescribed()) {
      out.print(SlowClientsGoals.render(rows, ansi));
    }
    out.flush();
    return 0;
  }

  private SlowClientsPlan plan(Direction direction, long limitBytes) {
    return new SlowClientsPlan(
        direction,
        clients,
        largeBytes,
        largePace,
        SlowClientsPlan.HOLD_MILLIS,
        limitBytes,
        limitBytes - Subject.GATE_MARGIN_BYTES);
  }
}
