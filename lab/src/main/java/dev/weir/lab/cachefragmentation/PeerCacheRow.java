package dev.weir.lab.cachefragmentation;

import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerActs;
import dev.weir.lab.peer.PeerJvm;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.scenario.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The load on caches of buffers: the caches are here, their buffers in a peer. It writes them, and
 * counts those that it is refused. Used by one thread.
 */
final class PeerCacheRow implements LabRow.Body {
  private final NettyPeer peer;
  private final Optional<Jdk> jdk;
  private final CachePlan plan;

  PeerCacheRow(NettyPeer peer, Optional<Jdk> jdk, CachePlan plan) {
    this.peer = peer;
    this.jdk = jdk;
    this.plan = plan;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    AtomicLong liveBytes = new AtomicLong();
    try (PeerJvm player =
            PeerJvm.start(peer, jdk, plan.limitBytes(), List.of(), "play", List.of());
        ProcessWatch watch = ProcessWatch.start(player.child(), liveBytes::get)) {
      PeerActs acts = new PeerActs(player);
      ActCaches caches = new ActCaches(acts, plan);
      CacheLoad load = new CacheLoad(plan, caches);
      for (int phase = 0; phase < plan.phases(); phase++) {
        load.runPhase(phase, () -> sample(acts, watch, liveBytes));
        Waiting.millis(plan.pauseMillis());
        steps.done(phase + 1, plan.phases());
      }
      long meanRssBytes = watch.meanRssBytes();
      long cachedBytes = caches.cachedBytes();
      long fullRssBytes = watch.sample();
      caches.close();
      Map<String, Object> last = sample(acts, watch, liveBytes);
      Waiting.millis(plan.pauseMillis());
      Map<String, @Nullable Object> row = new LinkedHashMap<>(player.environment());
      row.put("appends", load.appends());
      row.put("coldReads", load.coldReads());
      row.put("refused", JsonLines.number(last, "refused") + load.refusedAppends());
      row.put("seconds", last.get("seconds") instanceof Number s ? rounded(s.doubleValue()) : null);
      row.put("limitBytes", plan.limitBytes());
      row.put("plannedBytes", plan.plannedBytes());
      row.put("cachedBytes", cachedBytes);
      row.put("fullRssBytes", fullRssBytes);
      row.put("peakLiveBytes", watch.peakLiveBytes());
      row.put("peakRssBytes", watch.peakRssBytes());
      row.put("meanRssBytes", meanRssBytes);
      row.put("peakRatio", rounded((double) watch.peakRssBytes() / plan.plannedBytes()));
      row.put("meanRatio", rounded((double) meanRssBytes / plan.plannedBytes()));
      row.put("closedRssBytes", watch.sample());
      row.put(LabReport.SERIES, watch.series());
      return row;
    } catch (UncheckedIOException gone) {
      throw gone.getCause();
    }
  }

  private static Map<String, Object> sample(
      PeerActs acts, ProcessWatch watch, AtomicLong liveBytes) {
    try {
      Map<String, Object> said = acts.await();
      liveBytes.set(JsonLines.number(said, "liveBytes"));
      watch.sample();
      return said;
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }

  private static double rounded(double ratio) {
    return Math.round(ratio * 1000) / 1000.0;
  }
}
