package dev.weir.lab.replay;

import dev.weir.lab.contender.SequentialBound;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.AvailableMemory;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.peer.PeerOptions;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.Interruption;
import dev.weir.lab.scenario.ReportOption;
import dev.weir.lab.scenario.ScenarioRun;
import dev.weir.lab.subject.WeirSettings;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
      "  weir lab replay service.trace --threads recorded --budget 1.15x,1.5x --report out",
      "  weir lab replay service.trace --allocators weir,netty-4.1.68 --what-if"
          + " decay=100ms,share=0.02",
      "  weir lab replay benchmarks/capture --budget 1.15x --rounds 3 --writes bytes --report"
          + " recorded"
    })
public final class ReplayCommand implements Callable<Integer> {
  /** A day. */
  private static final long MAX_PAUSED_SECONDS = 86_400;

  private static final int MOST_ROUNDS = 100;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "TRACE",
      description = {
        "Files, or names of traces that are made from a seed: cache, renewal, drop,",
        "survivors-small, churn-1m, mixed. A folder stands for the traces in it."
      })
  private List<String> traces;

  @Option(
      names = "--allocators",
      split = ",",
      converter = OfReplaySubject.class,
      defaultValue =
          "weir,weir+dense,netty-pooled,netty-adaptive,netty-unpooled,glibc,mimalloc,jemalloc,tcmalloc,"
              + "sequential,none",
      paramLabel = "NAME",
      description =
          "What to compare, in this order; with heap buffers also weir-heap, netty-pooled-heap,"
              + " netty-adaptive-heap; in JVMs of their own netty-4.1.51, netty-4.1.68,"
              + " netty-4.1.137 (default: ${DEFAULT-VALUE}).")
  private List<ReplaySubject> subjects;

  @Option(
      names = "--what-if",
      converter = OfSettings.class,
      paramLabel = "SETTINGS",
      description = {
        "Also replays Weir with other settings: decay=TIME, share=X, preset=dense, or some of"
            + " them.",
        "A line says what the difference comes from. May be given more than once."
      })
  private List<WeirSettings> whatIf = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "Replays so often with the same allocator. All but the last round are to warm up, without"
              + " pauses; of them only refusals count (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--budget",
      split = ",",
      converter = OfBudget.class,
      paramLabel = "SIZE",
      description = {
        "Memory of Weir and of Netty's allocators; of the C libraries', what is live (default:",
        "more than the trace needs). Several are replayed one after the other; 1.15x is so many",
        "times what is live at the peak, and 4 MiB."
      })
  private List<Budget> budgets = List.of();

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

  @Option(
      names = "--threads",
      defaultValue = "one",
      paramLabel = "WHICH",
      description = {
        "one, or recorded: each recorded thread plays its own events, of a window of 1,024 or a",
        "millisecond at a time (default: ${DEFAULT-VALUE})."
      })
  private String threads;

  @Option(
      names = "--time",
      converter = OfTime.class,
      defaultValue = "compressed",
      paramLabel = "WHICH",
      description = {
        "compressed, without what is shorter than a millisecond or longer than 2 s, or recorded,",
        "with --threads recorded (default: ${DEFAULT-VALUE})."
      })
  private ReplayTime time;

  @Mixin private ReportOption report;
  @Mixin private SyntheticOptions synthetic;
  @Mixin private PeerOptions peers;

  private final ProgressLine progress = ProgressLine.onTerminal();
  private final ReplayPage page = new ReplayPage();

  /** The sequential bound of each trace. */
  private final Map<String, Long> bounds = new HashMap<>();

  /** Made by picocli. */
  public ReplayCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    boolean onThreads = threads.equals("recorded");
    checks.require(onThreads || threads.equals("one"), "--threads", "one or recorded");
    checks.require(
        onThreads || time == ReplayTime.COMPRESSED, "--time", "compressed with --threads one");
    checks.require(rounds >= 1 && rounds <= MOST_ROUNDS, "--rounds", "1 to 100");
    checks.require(rounds == 1 || !onThreads, "--rounds", "1 with --threads recorded");
    report.require(checks);
    traces = TraceFolders.expand(spec, traces);
    @Nullable Path json = report.json();
    checks.requireWritable(html, "--html");
    checks.requireOther(html, "--html", json);
    for (String trace : traces) {
      @Nullable Path file = SyntheticTrace.of(trace).isPresent() ? null : Path.of(trace);
      checks.requireOther(json, "--json", file);
      checks.requireOther(html, "--html", file);
    }
    List<ReplayPlan> plans = new ArrayList<>();
    for (String trace : traces) {
      plans.addAll(plans(trace, checks));
    }
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    Set<ReplaySubject> distinct = new LinkedHashSet<>(subjects);
    whatIf.forEach(settings -> distinct.add(new ReplaySubject.WhatIf(settings)));
    int planned = plans.size() * distinct.size();
    ScenarioRun.Keeper keeper =
        report.keeper("weir lab replay " + String.join(" ", traces), planned);
    Interruption interruption = Interruption.watch(progress, rows::size, planned);
    for (ReplayPlan plan : plans) {
      replay(plan, distinct, rows, keeper);
    }
    keeper.keep(rows, /* complete= */ true);
    interruption.ended();
    boolean failed = rows.stream().anyMatch(row -> row.containsKey(ScenarioRun.PROBLEM));
    return failed ? ScenarioRun.INCOMPLETE : 0;
  }

  /**
   * Reads the whole trace once, so that a damaged one, or one that is too much for this machine, is
   * refused before anything has run.
   */
  private List<ReplayPlan> plans(String trace, Checks checks) {
    ReplayPlan plan =
        new ReplayPlan(
            trace,
            synthetic.seed(),
            synthetic.scale(checks),
            ReplayPlan.NO_BUDGET,
            thread,
            writing,
            threads.equals("recorded"),
            time,
            rounds);
    try (TraceSource source = plan.open()) {
      SequentialBound bound = new SequentialBound();
      source.drainTo(bound);
      bounds.put(trace, bound.peakBytes());
      List<ReplayPlan> plans = new ArrayList<>();
      for (Budget budget : budgets.isEmpty() ? List.of(Budget.NONE) : budgets) {
        long bytes = budget.bytes(source.totals().peakLiveBytes());
        checks.require(
            bytes == ReplayPlan.NO_BUDGET || bytes >= 1 << 20, "--budget", "at least 1M");
        plans.add(plan.within(bytes));
        requireBearable(plans.getLast(), source.totals());
      }
      return plans;
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

  private void requireBearable(ReplayPlan plan, TraceTotals totals) throws IOException {
    long liveBytes = plan.liveBytes(totals.peakLiveBytes());
    long availableBytes = AvailableMemory.bytes();
    if (liveBytes > availableBytes / 4 * 3) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' has up to %s MiB live, and this machine has %s to spare: --budget or --scale less"
              .formatted(plan.trace(), Bytes.mib(liveBytes), Bytes.mib(availableBytes)));
    }
    long seconds = TimeUnit.MICROSECONDS.toSeconds(plan.recordedMicros());
    if (seconds > MAX_PAUSED_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "'%s' pauses for %,d s, which each allocator would take; at most %,d are allowed"
              .formatted(plan.trace(), seconds, MAX_PAUSED_SECONDS));
    }
  }

  private void replay(
      ReplayPlan plan,
      Set<ReplaySubject> distinct,
      List<Map<String, @Nullable Object>> rows,
      ScenarioRun.Keeper keeper)
      throws IOException {
    Replay replay = new Replay(plan, peers.jdk(), progress);
    List<ReplayOutcome> outcomes = new ArrayList<>();
    int first = rows.size();
    for (ReplaySubject subject : distinct) {
      ReplayOutcome outcome;
      try {
        outcome = replay.run(subject);
      } catch (IOException failed) {
        Interruption.requireNone(failed);
        outcome = ReplayOutcome.missing(subject.label(), String.valueOf(failed.getMessage()));
        rows.add(problem(plan, outcome));
      }
      outcomes.add(outcome);
      if (outcome.missing() == null) {
        outcome.row().put("boundBytes", bounds.get(plan.trace()));
        rows.add(withSeries(outcome));
      }
      keeper.keep(rows, /* complete= */ false);
    }
    ReplayGoals.judge(rows.subList(first, rows.size()));
    keeper.keep(rows, /* complete= */ false);
    print(plan, outcomes, distinct);
    page.add(plan.title(), outcomes);
    if (html != null) {
      page.write(html);
    }
  }

  /** A row of a process that ended early or hung: the others go on. */
  private static Map<String, @Nullable Object> problem(ReplayPlan plan, ReplayOutcome outcome) {
    Map<String, @Nullable Object> row = plan.rowOf(outcome.label());
    row.put(ScenarioRun.PROBLEM, outcome.missing());
    return row;
  }

  /** For the report: seconds, resident and live of each point, by the share of the trace. */
  private static Map<String, @Nullable Object> withSeries(ReplayOutcome outcome) {
    double seconds = outcome.row().get("seconds") instanceof Number n ? n.doubleValue() : 1;
    List<List<Number>> series = new ArrayList<>();
    for (Object sample : outcome.samples()) {
      if (sample instanceof List<?> numbers
          && numbers.get(0) instanceof Number progress
          && numbers.get(1) instanceof Number live
          && numbers.get(3) instanceof Number resident
          && numbers.get(4) instanceof Number rss) {
        long held = resident.longValue() == Sample.UNKNOWN ? rss.longValue() : resident.longValue();
        if (held != Sample.UNKNOWN) {
          series.add(List.<Number>of(progress.doubleValue() * seconds, held, live));
        }
      }
    }
    Map<String, @Nullable Object> row = new LinkedHashMap<>(outcome.row());
    row.put(LabReport.SERIES, series);
    return row;
  }

  private void print(ReplayPlan plan, List<ReplayOutcome> outcomes, Set<ReplaySubject> distinct) {
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
    distinct.forEach(subject -> out.print(ReplayDifference.line(subject, rows)));
    out.print(ReplayGoals.render(rows, ansi));
    out.flush();
  }

  /** Labels of {@link ReplaySubject}. */
  static final class OfReplaySubject extends Converters<ReplaySubject> {
    OfReplaySubject() {
      super(ReplaySubject::of);
    }
  }

  /** Settings, such as {@code decay=100ms,share=0.02}. */
  static final class OfSettings extends Converters<WeirSettings> {
    OfSettings() {
      super(WeirSettings::parse);
    }
  }

  /** Budgets, such as {@code 230M} or {@code 1.15x}. */
  static final class OfBudget extends Converters<Budget> {
    OfBudget() {
      super(Budget::parse);
    }
  }

  /** Labels of {@link ReplayTime}. */
  static final class OfTime extends Converters<ReplayTime> {
    OfTime() {
      super(ReplayTime::of);
    }
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
