package dev.weir.benchmarks.view;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.util.List;
import java.util.Map;

/** What the view suite measures: Weir alone, since nobody else has a map of its pages. */
public final class ViewSuite {
  private static final String BENCHMARK = ViewBenchmark.class.getName() + ".look";

  private ViewSuite() {}

  /** A cell for each number of live blocks. */
  public static Suite suite(List<Integer> blocks) {
    List<Cell> cells =
        blocks.stream()
            .map(count ->
                new Cell(
                    "view",
                    BENCHMARK,
                    Map.of("blocks", Integer.toString(count)),
                    ThreadKind.PLAIN,
                    1,
                    LeakDetection.DISABLED))
            .toList();
    return new Suite(cells, List.of(Metric.NS_PER_OP, Metric.HEAP_BYTES_PER_OP))
        .among(List.of(Peer.WEIR));
  }
}
