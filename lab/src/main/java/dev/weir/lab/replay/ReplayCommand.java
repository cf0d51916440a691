package dev.weir.lab.replay;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.AvailableMemory;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.trace.TotalsSink;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab replay}. */
@Command(
    name = "replay",
    description = {
      "Replays traces of allocations against one allocator after another.",
      "Each runs in a JVM of its own, writes every block, and shows what it held for what was live."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab replay cache",
      "  weir lab replay cache --budget 230M --allocators weir,netty-pooled --json cache.jsonl",
      "  weir lab replay service.trace --writes bytes"
    })
public final class ReplayCommand implements Callable<Integer> {
  /** A day. */
  private static final long MAX_PAUSED_SECONDS = 86_400;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "TRACE",
      description = {
        "Files, or names of traces that are made from a seed: cache, renewal, drop,",
        "survivors-small, churn-1m, mixed."
      })
  private List<String> traces;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfContender.class,
      defaultValue =
          "weir,weir+dense,netty-pooled,netty-adaptive,netty-unpooled,glibc,mimalloc,jemalloc,tcmalloc,"
              + "sequential",
      paramLabel = "NAME",
      description =
          "What to compare, in this order; with heap buffers also weir-heap, netty-pooled-heap,"
              + " netty-adaptive-heap (default: ${DEFAULT-VALUE}).")
  private List<Contender> contenders;

  @Option(
      names = "--budget",
      converter = Converters.OfBytes.class,
      paramLabel = "SIZE",
      description =
          "Memory of Weir and of Netty's allocators; of the C libraries', what is live (default:"
              + " more than the trace needs).")
  private @Nullable Long budgetBytes;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object a row into this file.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes a page with a chart for each trace and allocator into this file.")
  private @Nullable Path html;

  @Option(
      names = "--thread",
      converter = OfThread.class,
      defaultValue = "event-loop",
      paramLabel = "KIND",
      description = "What allocates: event-loop, plain (default: ${DEFAULT-VALUE}).")
  private ReplayThread thread;

  @Option(
      names = "--writes",
      converter = OfWriting.class,
      defaultValue = "pages",
      paramLabel = "WHAT",
      description =
          "What is written of each block: bytes, all of them, or pages, one byte of each"
              + " (default: ${DEFAULT-VALUE}).")
  private Writing writing;

  @Mixin private SyntheticOptions synthetic;

  private final ReplayPage page = new ReplayPage();

  /** Made by picocli. */
  public ReplayCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.require(budgetBytes == null || budgetBytes >= 1 << 20, "--budget", "at least 1M");
    checks.requireWritable(json, "--json");
    checks.requireWritable(html, "--html");
    checks.requireOther(html, "--html", json);
    for (String trace : traces) {
      @Nullable Path file = SyntheticTrace.of(trace).isPresent() ? null : Path.of(trace);
      checks.requireOther(json, "--json", file);
      checks.requireOther(html, "--html", file);
    }
    List<ReplayPlan> plans = new ArrayList<>();
    for (String trace : traces) {
      plans.add(plan(trace, checks));
    }
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (ReplayPlan plan : plans) {
      replay(plan, rows);
    }
    return 0;
  }

  /**
   * Reads the whole trace once, so that a damaged one, or one that is too much for this machine, is
   * refused before anything has run.
   */
  private ReplayPlan plan(String trace, Checks checks) {
    ReplayPlan plan =
        new ReplayPlan(
            trace,
            synthetic.seed(),
            synthetic.scale(checks),
            budgetBytes == null ? ReplayPlan.NO_BUDGET : budgetBytes,
            thread,
            writing);
    try (TraceSource source = plan.open()) {
      source.drainTo(new TotalsSink());
      requireBearable(plan, source.totals());
      return plan;
    } catch (IOException unreadable) {
      throw new ParameterException(
          spec.commandLine(),
          "'"
              + trace
              + "' cannot be read: "
              + unreadable.getMessage()
              + "; made from a seed are "
              + SyntheticTrace.labels());
    }
  }

  private void requireBearable(ReplayPlan plan, TraceTotals totals) {
    long liveBytes = plan.liveBytes(totals.peakLiveBytes());
    long availableBytes = AvailableMemory.bytes();
    if (liveBytes > availableBytes / 4 * 3) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' has up to %s MiB live, and this machine has %s to spare: --budget or --scale less"
              .formatted(plan.trace(), Bytes.mib(liveBytes), Bytes.mib(availableBytes)));
    }
    long seconds = TimeUnit.MICROSECONDS.toSeconds(totals.pausedMicros());
    if (seconds > MAX_PAUSED_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' pauses for %,d s, which each allocator would take; at most %,d are allowed"
              .formatted(plan.trace(), seconds, MAX_PAUSED_SECONDS));
    }
  }

  private void replay(ReplayPlan plan, List<Map<String, @Nullable Object>> rows)
      throws IOException {
    Replay replay = new Replay(plan, ProgressLine.onTerminal());
    List<ReplayOutcome> outcomes = new ArrayList<>();
    for (Contender contender : new LinkedHashSet<>(contenders)) {
      ReplayOutcome outcome = replay.run(contender);
      outcomes.add(outcome);
      if (outcome.missing() == null) {
        rows.add(outcome.row());
      }
      if (json != null) {
        JsonLines.write(json, rows);
      }
    }
    print(plan, outcomes);
    page.add(plan.title(), outcomes);
    if (html != null) {
      page.write(html);
    }
  }

  private void print(ReplayPlan plan, List<ReplayOutcome> outcomes) {
    PrintWriter out = spec.commandLine().getOut();
    List<Map<String, @Nullable Object>> rows =
        outcomes.stream()
            .filter(outcome -> outcome.missing() == null)
            .map(ReplayOutcome::row)
            .toList();
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    out.println(plan.title());
    out.print(ReplayTable.render(rows, ansi));
    outcomes.stream()
        .filter(outcome -> outcome.missing() != null)
        .forEach(outcome -> out.println(ReplayTable.leftOut(outcome)));
    out.print(ReplayGoals.render(rows, ansi));
    out.flush();
  }

  /** Labels of {@link ReplayThread}. */
  static final class OfThread extends Converters<ReplayThread> {
    OfThread() {
      super(ReplayThread::of);
    }
  }

  /** Labels of {@link Writing}. */
  static final class OfWriting extends Converters<Writing> {
    OfWriting() {
      super(Writing::of);
    }
  }
}
