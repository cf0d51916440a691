package dev.weir.lab.cachefragmentation;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.JsonOption;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run cache-fragmentation}. */
@Command(
    name = "cache-fragmentation",
    description = {
      "Two caches in one limit, under changing loads: how much of the plan is resident.",
      "Weir runs its own caches; Netty's allocators run the same with a buffer a record and page."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run cache-fragmentation --quick",
      "  weir lab run cache-fragmentation --allocators weir+dense,netty-adaptive --json"
          + " caches.jsonl"
    })
public final class CacheFragmentationCommand implements Callable<Integer> {
  private static final Duration PHASE_LIMIT = Duration.ofMinutes(5);
  private static final double LIMIT_SHARE = 1.15;
  private static final int QUICK_DIVISOR = 8;

  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfSubject.class,
      defaultValue = "weir,weir+dense,netty-pooled,netty-adaptive",
      paramLabel = "NAME",
      description = "What to compare, in this order (default: ${DEFAULT-VALUE}).")
  private List<Subject> allocators;

  @Mixin private JsonOption json;

  @Option(names = "--quick", description = "An eighth of the memory, and five phases.")
  private boolean quick;

  @Option(
      names = "--log-cache",
      converter = Converters.OfBytes.class,
      defaultValue = "512M",
      paramLabel = "SIZE",
      description = "Capacity of the log cache (default: ${DEFAULT-VALUE}).")
  private long logBytes;

  @Option(
      names = "--block-cache",
      converter = Converters.OfBytes.class,
      defaultValue = "256M",
      paramLabel = "SIZE",
      description = "Capacity of the block cache (default: ${DEFAULT-VALUE}).")
  private long blockBytes;

  @Option(
      names = "--limit",
      converter = Converters.OfBytes.class,
      paramLabel = "SIZE",
      description = "Direct memory of each allocator (default: 1.15 times both caches).")
  private @Nullable Long limitBytes;

  @Option(
      names = "--phases",
      defaultValue = "10",
      paramLabel = "N",
      description = "How often the load changes (default: ${DEFAULT-VALUE}, with --quick 5).")
  private int phases;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Of the load (default: ${DEFAULT-VALUE}).")
  private long seed;

  /** Made by picocli. */
  public CacheFragmentationCommand() {}

  @Override
  public Integer call() throws IOException {
    CachePlan plan = plan();
    json.require(new Checks(spec));
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    ProgressLine progress = ProgressLine.onTerminal();
    for (Subject subject : new LinkedHashSet<>(allocators)) {
      rows.add(run(subject, plan, progress));
      json.write(rows);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(CacheTable.render(rows, spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return 0;
  }

  private CachePlan plan() {
    Checks checks = new Checks(spec);
    checks.require(logBytes >= 32 << 20, "--log-cache", "at least 32M");
    checks.require(blockBytes >= 32 << 20, "--block-cache", "at least 32M");
    checks.require(phases > 0 && phases <= 1_000, "--phases", "between 1 and 1000");
    long log = quick ? Math.max(32 << 20, logBytes / QUICK_DIVISOR) : logBytes;
    long block = quick ? Math.max(32 << 20, blockBytes / QUICK_DIVISOR) : blockBytes;
    long limit = limitBytes == null ? (long) (LIMIT_SHARE * (log + block)) : limitBytes;
    checks.require(limit >= log + block, "--limit", "at least both caches");
    return new CachePlan(
        log, block, limit, quick ? Math.min(phases, 5) : phases, seed, CachePlan.PAUSE_MILLIS);
  }

  private static Map<String, @Nullable Object> run(
      Subject subject, CachePlan plan, ProgressLine progress) throws IOException {
    // Netty's caches keep Java objects for each record.
    List<String> flags =
        ServiceFlags.within(
            plan.limitBytes(), "-Xms512m", "-Xmx512m", "-Dio.netty.leakDetection.level=disabled");
    try (ChildJvm child =
        ChildJvm.start(
            CacheChild.class, flags, List.of(subject.label(), JsonLines.line(plan.toMap())))) {
      progress.show(subject.label(), 0, plan.phases(), "phases");
      Map<String, Object> said = JsonLines.parse(child.receive(PHASE_LIMIT));
      while (said.get(CacheChild.PHASE) instanceof Number phase) {
        progress.show(subject.label(), phase.intValue(), plan.phases(), "phases");
        said = JsonLines.parse(child.receive(PHASE_LIMIT));
      }
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("scenario", "cache-fragmentation");
      row.put("allocator", subject.label());
      row.putAll(said);
      return row;
    } finally {
      progress.clear();
    }
  }
}
