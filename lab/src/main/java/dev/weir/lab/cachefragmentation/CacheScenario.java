package dev.weir.lab.cachefragmentation;

import dev.weir.lab.contender.SequentialBound;
import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.subject.Subject;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of {@code cache-fragmentation}. */
public final class CacheScenario {
  /** Its name on the command line. */
  public static final String NAME = "cache-fragmentation";

  private CacheScenario() {}

  /** A row for each: Weir's own caches, or caches of the peer's buffers. */
  public static List<LabRow> rows(Collection<NettyPeer> peers, Optional<Jdk> jdk, CachePlan plan) {
    Bound bound = new Bound(plan);
    return peers.stream()
        .map(peer -> {
          LabRow.Body body =
              peer.isWeir()
                  ? new WeirCacheRow(Subject.of(peer.label()), plan)
                  : new PeerCacheRow(peer, jdk, plan);
          return new LabRow(NAME, peer.label(), steps -> bound.with(body.measure(steps)));
        })
        .toList();
  }

  /** The sequential bound of the load, which is the same for all rows. Not thread-safe. */
  private static final class Bound {
    private final CachePlan plan;
    private long bytes;

    Bound(CachePlan plan) {
      this.plan = plan;
    }

    Map<String, @Nullable Object> with(Map<String, @Nullable Object> row) {
      if (bytes == 0) {
        SequentialBound sink = new SequentialBound();
        CacheLoad load = new CacheLoad(plan, new ActCaches(sink, plan));
        for (int phase = 0; phase < plan.phases(); phase++) {
          load.runPhase(phase, () -> {});
        }
        bytes = sink.peakBytes();
      }
      Map<String, @Nullable Object> bounded = new LinkedHashMap<>(row);
      bounded.put("boundBytes", bytes);
      return bounded;
    }
  }
}
