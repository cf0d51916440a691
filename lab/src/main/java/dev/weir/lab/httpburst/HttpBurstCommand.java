package dev.weir.lab.httpburst;

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
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run http-burst}. */
@Command(
    name = "http-burst",
    description = {
      "Many large uploads at once, held whole: how many get through, in what memory.",
      "Each allocator runs in a JVM of its own; '+gate' puts a count of admitted bytes in front of",
      "it."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run http-burst",
      "  weir lab run http-burst --allocators weir,netty-pooled+gate --json burst.jsonl"
    })
public final class HttpBurstCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfSubject.class,
      defaultValue = "weir,netty-pooled,netty-adaptive,netty-pooled+gate,netty-adaptive+gate",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<Subject> allocators;

  @Mixin private JsonOption json;

  @Option(
      names = "--uploads",
      defaultValue = "64",
      paramLabel = "N",
      description = "Uploads in all (default: ${DEFAULT-VALUE}).")
  private int uploads;

  @Option(
      names = "--at-once",
      defaultValue = "32",
      paramLabel = "N",
      description = "Uploads at a time (default: ${DEFAULT-VALUE}).")
  private int atOnce;

  @Option(
      names = "--bytes",
      converter = Converters.OfBytes.class,
      defaultValue = "20000000",
      paramLabel = "SIZE",
      description = "Length of each body (default: ${DEFAULT-VALUE}).")
  private long bodyBytes;

  @Option(
      names = "--rate",
      converter = Converters.OfBytes.class,
      defaultValue = "10000000",
      paramLabel = "SIZE",
      description = "Bytes a second of each client (default: ${DEFAULT-VALUE}).")
  private long bytesPerSecond;

  @Mixin private LimitOption limit;

  @Option(
      names = "--gate",
      converter = Converters.OfBytes.class,
      paramLabel = "SIZE",
      description = "Bodies admitted at a time in '+gate' rows (default: 16M less than the limit).")
  private @Nullable Long gateBytes;

  /** Made by picocli. */
  public HttpBurstCommand() {}

  @Override
  public Integer call() throws IOException {
    HttpBurst burst = new HttpBurst(plan(), ProgressLine.onTerminal());
    json.require(new Checks(spec));
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    Set<Subject> subjects = new LinkedHashSet<>(allocators);
    for (Subject subject : subjects) {
      rows.add(burst.run(subject));
      json.write(rows);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(HttpBurstTable.render(rows, spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return 0;
  }

  private HttpBurstPlan plan() {
    Checks checks = new Checks(spec);
    checks.require(uploads > 0 && uploads <= 100_000, "--uploads", "between 1 and 100000");
    checks.require(atOnce > 0 && atOnce <= 10_000, "--at-once", "between 1 and 10000");
    checks.require(bodyBytes <= 1 << 30, "--bytes", "at most 1G");
    checks.require(bytesPerSecond >= 64 * 1024, "--rate", "at least 64K");
    long limitBytes = limit.atLeastMib(32, checks);
    long gate = gateBytes == null ? limitBytes - Subject.GATE_MARGIN_BYTES : gateBytes;
    checks.require(gate >= bodyBytes, "--gate", "at least as large as a body");
    return new HttpBurstPlan(
        uploads,
        atOnce,
        (int) bodyBytes,
        bytesPerSecond,
        HttpBurstPlan.HOLD_MILLIS,
        limitBytes,
        gate,
        HttpBurstPlan.IDLE_MILLIS);
  }
}
