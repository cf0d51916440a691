package dev.weir.lab.replay;

import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerActs;
import dev.weir.lab.peer.PeerJvm;
import dev.weir.lab.report.JsonLines;
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
  private final Figures figures = new Figures(/* ratiosCount= */ true, /* hasBound= */ false);

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
        ProcessWatch watch = ProcessWatch.start(jvm.child().pid(), liveBytes::get)) {
      PeerActs acts = new PeerActs(jvm);
      Series series = new Series();
      Map<String, Object> said = Map.of();
      double doneSeconds = 0;
      double leastSeconds = Double.MAX_VALUE;
      for (int round = 1; round <= plan.rounds(); round++) {
        try (TraceSource source = plan.open()) {
          TraceTotals totals = source.totals();
          PeerSink sink = new PeerSink(acts, watch, figures, totals, liveBytes, this::show);
          source.drainTo(sink);
          said = sink.end(/* idles= */ round == plan.rounds());
          series = sink.series();
        }
        double seconds = said.get("seconds") instanceof Number n ? n.doubleValue() : 0;
        leastSeconds = Math.min(leastSeconds, seconds - doneSeconds);
        doneSeconds = seconds;
      }
      figures.played(
          JsonLines.number(said, "acts") / plan.rounds(),
          Math.round(leastSeconds * NANOS_PER_SECOND));
      figures.watched(Sample.UNKNOWN, watch.peakRssBytes());
      Map<String, @Nullable Object> row = plan.rowOf(peer.label());
      row.putAll(figures());
      row.put("allocations", said.get("allocations"));
      row.put("refusals", said.get("refused"));
      row.putAll(jvm.environment());
      return new ReplayOutcome(peer.label(), row, series.samples(), series.phases(), null);
    } finally {
      progress.clear();
    }
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
