package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import java.util.Map;
import java.util.Optional;

/**
 * What was measured in one cell.
 *
 * @param cell what was to be measured
 * @param conditions how that was done
 * @param scores of each peer, in the order of the command line
 */
public record Measurement(Cell cell, Conditions conditions, Map<Peer, Map<Metric, Score>> scores) {

  /** One peer's score, if it was measured here. */
  public Optional<Score> score(Peer peer, Metric metric) {
    return Optional.ofNullable(scores.getOrDefault(peer, Map.of()).get(metric));
  }
}
