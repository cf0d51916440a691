package dev.weir.lab.replay;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.contender.BlockStore;
import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.ContenderMissingException;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.LivePages;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.HeldMemory;
import dev.weir.lab.subject.MemorySampler;
import dev.weir.lab.subject.Subject;
import dev.weir.lab.subject.WeirSettings;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The process under test: replays one trace with one allocator and says lines of JSON: {@code
 * progress} now and then, at the end {@code figures}, or {@code missing} if this machine lacks the
 * allocator, or {@code failed}.
 */
public final class ReplayChild {
  static final String PROGRESS = "progress";
  static final String FIGURES = "figures";
  static final String PHASES = "phases";
  static final String SAMPLES = "samples";
  static final String CHART = "chart";
  static final String CHART_PHASES = "chartPhases";
  static final String PEAK_EXCESS = "peakExcessBytes";
  static final String MISSING = "missing";
  static final String FAILED = "failed";

  /** So many arguments. */
  private static final int ONE_CONTENDER = 3;

  private static final ReplayPlan WARM_UP_PLAN =
      new ReplayPlan(
          "mixed",
          1,
          0.2,
          ReplayPlan.NO_BUDGET,
          ReplayThread.PLAIN,
          Writing.PAGES,
          /* onRecordedThreads= */ false,
          ReplayTime.COMPRESSED,
          /* rounds= */ 1);

  private final ParentLines parent = new ParentLines();
  private final ReplayPlan plan;

  private ReplayChild(ReplayPlan plan) {
    this.plan = plan;
  }

  /**
   * Runs with a plan in JSON, the label of a {@link Contender}, and settings of Weir's or "". More
   * labels and settings may follow: all of them are replayed at once then, and the answers come in
   * their order.
   */
  public static void main(String[] arguments) throws Exception {
    ReplayChild child = new ReplayChild(ReplayPlan.of(JsonLines.parse(arguments[0])));
    child.parent.endWithParent();
    if (arguments.length == ONE_CONTENDER) {
      child.warmUp();
    }
    List<CompletableFuture<Map<String, @Nullable Object>>> answers = new ArrayList<>();
    for (int at = 1; at < arguments.length; at += 2) {
      Contender contender = Contender.of(arguments[at]);
      String settings = arguments[at + 1];
      answers.add(
          CompletableFuture.supplyAsync(
              () -> child.answer(contender, settings), Thread::startVirtualThread));
    }
    for (CompletableFuture<Map<String, @Nullable Object>> answer : answers) {
      child.parent.say(JsonLines.line(answer.join()));
    }
    System.exit(0);
  }

  private Map<String, @Nullable Object> answer(Contender contender, String settings) {
    try {
      return plan.onRecordedThreads()
          ? onThreads(contender, settings)
          : measured(contender, settings);
    } catch (ContenderMissingException missing) {
      return Map.of(MISSING, String.valueOf(missing.getMessage()));
    } catch (IOException unreadable) {
      return Map.of(FAILED, String.valueOf(unreadable.getMessage()));
    } catch (ExecutionException failure) {
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      String reason =
          cause instanceof IOException ? String.valueOf(cause.getMessage()) : cause.toString();
      return Map.of(FAILED, reason);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Map.of(FAILED, "interrupted");
    }
  }

  /**
   * Replays a little without an allocator, so that the replay's own code is compiled and loaded.
   */
  private void warmUp() throws IOException, InterruptedException, ContenderMissingException {
    LivePages pages = new LivePages();
    BlockStore none = Contender.SEQUENTIAL.open(plan.poolBytes(0), pages, WARM_UP_PLAN.writing());
    try (TraceSource source = WARM_UP_PLAN.open()) {
      TraceTotals totals = source.totals();
      ReplayProgress progress = new ReplayProgress(totals, 0, share -> {});
      Replayer replayer =
          new Replayer(none, pages, WARM_UP_PLAN.writing(), () -> 0, totals, progress);
      replayer.begin();
      source.drainTo(replayer);
      replayer.end();
    }
  }

  private Map<String, @Nullable Object> measured(Contender contender, String settings)
      throws IOException, InterruptedException, ExecutionException, ContenderMissingException {
    LivePages pages = new LivePages();
    TraceTotals totals;
    try (TraceSource source = plan.open()) {
      totals = source.totals();
    }
    long poolBytes = plan.poolBytes(totals.peakLiveBytes());
    BlockStore store =
        settings.isEmpty()
            ? contender.open(poolBytes, pages, plan.writing())
            : Contender.weir(poolBytes, WeirSettings.parse(settings));
    ScheduledExecutorService thread = plan.thread().start();
    System.gc();
    Rounds rounds = new Rounds();
    try (MemorySampler sampler = sampler(store)) {
      for (int round = 1; round <= plan.rounds(); round++) {
        boolean isLast = round == plan.rounds();
        ReplayProgress progress =
            new ReplayProgress(
                totals,
                isLast ? ReplayLoop.pauseMicros(totals.pausedMicros()) : 0,
                share -> tellProgress(rounds.share(share, plan.rounds())));
        try (TraceSource source = plan.open()) {
          Replayer replayer =
              new Replayer(store, pages, plan.writing(), sampler::sample, totals, progress);
          rounds.add(ReplayLoop.run(source, replayer, thread, isLast).get());
        }
      }
      return map(store, sampler, rounds);
    }
  }

  private Map<String, @Nullable Object> onThreads(Contender contender, String settings)
      throws IOException, InterruptedException, ExecutionException {
    try (TraceSource source = plan.open()) {
      LoadedTrace trace = LoadedTrace.of(source, plan.time());
      long poolBytes = plan.poolBytes(trace.totals().peakLiveBytes());
      AllocatorUnderTest subject =
          settings.isEmpty()
              ? Subject.of(contender.label()).create(poolBytes, Long.MAX_VALUE)
              : Subject.weir(poolBytes, WeirSettings.parse(settings));
      ReplayProgress progress = new ReplayProgress(trace.played(), 0, this::tellProgress);
      System.gc();
      try (MemorySampler sampler = sampler(subject)) {
        ThreadedReplay replay =
            new ThreadedReplay(trace, subject, plan.writing(), sampler, progress);
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put(FIGURES, withCollections(replay.run()));
        map.put(SAMPLES, replay.samples());
        map.put(CHART, replay.series().samples());
        map.put(CHART_PHASES, replay.series().phases());
        return map;
      }
    }
  }

  /** The collector's work in this JVM so far, the replay's own among it. */
  private static Map<String, @Nullable Object> withCollections(
      Map<String, @Nullable Object> figures) {
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    figures.put(
        "gcCount", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
    figures.put(
        "gcMillis", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
    return figures;
  }

  /**
   * The Rss of a range of addresses is read page table by page table, so that a reading while pages
   * come and go is wrong by as many: only the replaying thread reads it. That of the process is one
   * number, and a thread of its own may look at it in between.
   */
  private static MemorySampler sampler(HeldMemory store) throws IOException {
    return store.occupancy().isPresent()
        ? MemorySampler.onDemand(store)
        : MemorySampler.start(store);
  }

  private void tellProgress(double share) {
    parent.say(JsonLines.line(Map.of(PROGRESS, Ratio.rounded(share))));
  }

  private static Map<String, @Nullable Object> map(
      BlockStore store, MemorySampler sampler, Rounds rounds) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    ReplayResult last = rounds.last();
    Figures total = rounds.total();
    if (store.isReal()) {
      total.watched(
          store.residentBytes().isPresent() ? sampler.peakResidentBytes() : Sample.UNKNOWN,
          sampler.peakRssBytes());
    }
    map.put(FIGURES, withCollections(total.toMap()));
    map.put(PHASES, last.phases().toMaps());
    map.put(SAMPLES, last.samples());
    map.put(PEAK_EXCESS, rounds.peakExcessBytes());
    map.put(CHART, last.series().samples());
    map.put(CHART_PHASES, last.series().phases());
    return map;
  }
}
