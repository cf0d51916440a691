package dev.weir.lab.replay;

import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerActs;
import dev.weir.lab.peer.PeerJvm;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Replays a trace against another version of Netty, in its JVM. Used by one thread. */
final class PeerReplay {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ReplayPlan plan;
  private final NettyPeer peer;
  private final ProgressLine progress;
  private final Figures figures = newFigures();

  PeerReplay(ReplayPlan plan, NettyPeer peer, ProgressLine progress) {
    this.plan = plan;
    this.peer = peer;
    this.progress = progress;
  }

  /**
   * Replays all rounds.
   *
   * @throws IOException if the peer is missing, ends early or hangs
   */
  ReplayOutcome run(Optional<Jdk> oldJdk) throws IOException {
    progress.show(peer.label(), 0, 100, plan.trace());
    AtomicLong liveBytes = new AtomicLong();
    List<String> writes = List.of(plan.writing().label());
    try (PeerJvm jvm =
            PeerJvm.start(peer, oldJdk, plan.directMemoryBytes(), List.of(), "replay", writes);
        ProcessWatch watch = ProcessWatch.start(jvm.child(), liveBytes::get)) {
      PeerActs acts = new PeerActs(jvm);
      Series series = new Series();
      Map<String, Object> said = acts.await();
      Map<String, Object> before = said;
      for (int round = 1; round <= plan.rounds(); round++) {
        boolean isLast = round == plan.rounds();
        before = said;
        try (TraceSource source = plan.open()) {
          TraceTotals totals = source.totals();
          PeerSink sink =
              new PeerSink(
                  acts,
                  watch,
                  isLast ? figures : newFigures(),
                  totals,
                  liveBytes,
                  /* pauses= */ isLast,
                  this::show);
          source.drainTo(sink);
          said = sink.end();
          series = sink.series();
        }
      }
      figures.played(
          Math.round(more("acts", before, said)),
          Math.round(more("seconds", before, said) * NANOS_PER_SECOND));
      figures.watched(Sample.UNKNOWN, watch.peakRssBytes());
      Map<String, @Nullable Object> row = plan.rowOf(peer.label());
      row.putAll(figures());
      row.put("allocations", Math.round(more("allocations", before, said)));
      row.put("refusals", said.get("refused"));
      row.putAll(jvm.environment());
      return new ReplayOutcome(peer.label(), row, series.samples(), series.phases(), null);
    } finally {
      progress.clear();
    }
  }

  private static Figures newFigures() {
    return new Figures(/* ratiosCount= */ true, /* hasBound= */ false);
  }

  /** What a round added to a count of the peer. */
  private static double more(String field, Map<String, Object> before, Map<String, Object> said) {
    return said.get(field) instanceof Number now && before.get(field) instanceof Number then
        ? now.doubleValue() - then.doubleValue()
        : 0;
  }

  /** Without what only the addresses of blocks would tell. */
  private Map<String, @Nullable Object> figures() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>(figures.toMap());
    for (String untold :
        List.of(
            "pageFaults",
            "peakPageBytes",
            "peakPageRatio",
            "meanPageRatio",
            "peakBeyondPagesBytes")) {
      map.put(untold, null);
    }
    if (map.get("idle") instanceof Map<?, ?> idle) {
      Map<String, @Nullable Object> known = new LinkedHashMap<>();
      idle.forEach((name, value) -> known.put(String.valueOf(name), value));
      known.put("pageBytes", null);
      known.put("beyondPagesBytes", null);
      map.put("idle", known);
    }
    return map;
  }

  private void show(double share) {
    progress.show(peer.label(), (int) (share * 100), 100, plan.trace());
  }
}
