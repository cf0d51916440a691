package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A comparison within one cell: how many times what Weir takes is taken by others.
 *
 * @param title how tables name it
 * @param field how JSON rows name it
 * @param others of whom the best counts
 */
record Ratio(String title, String field, List<Peer> others) {

  /** The comparisons that these peers allow; none without Weir. */
  static List<Ratio> among(List<Peer> peers) {
    List<Ratio> ratios = new ArrayList<>();
    if (peers.contains(Peer.WEIR)) {
      add(ratios, "best Netty / weir", "timesNetty", of(peers, Family.NETTY));
      add(ratios, "best malloc / weir", "timesMalloc", of(peers, Family.MALLOC));
      add(
          ratios,
          "budget / weir",
          "timesBudget",
          peers.stream().filter(Peer.WEIR_BUDGET::equals).toList());
    }
    return ratios;
  }

  private static List<Peer> of(List<Peer> peers, Family family) {
    return peers.stream().filter(peer -> peer.family() == family).toList();
  }

  private static void add(List<Ratio> ratios, String title, String field, List<Peer> others) {
    if (!others.isEmpty()) {
      ratios.add(new Ratio(title, field, others));
    }
  }

  /** The ratio in a cell; empty unless Weir and another were measured there. */
  Optional<Double> of(Measurement measurement, Metric metric) {
    Optional<Double> weir = measurement.score(Peer.WEIR, metric).map(Score::median);
    Optional<Double> best =
        others.stream()
            .flatMap(peer -> measurement.score(peer, metric).stream())
            .map(Score::median)
            .min(Double::compare);
    return weir.filter(value -> value > 0).flatMap(value -> best.map(other -> other / value));
  }
}
