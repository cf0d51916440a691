package dev.weir.benchmarks.grow;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ThreadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the grow suite measures. */
public final class GrowSuite {
  /** What its tables show. */
  public static final List<Metric> METRICS =
      List.of(Metric.NS_PER_OP, Metric.RSS_BYTES, Metric.POOL_RSS_BYTES);

  private static final String NAME = "grow";
  private static final String BENCHMARK = GrowBenchmark.class.getName() + ".growAndRelease";

  private GrowSuite() {}

  /** A cell for each amount of content, in MiB, at each level. */
  public static List<Cell> cells(List<Integer> contents, List<LeakDetection> levels) {
    List<Cell> cells = new ArrayList<>();
    for (LeakDetection level : levels) {
      for (int contentMiB : contents) {
        Map<String, String> parameters = Map.of("contentMiB", Integer.toString(contentMiB));
        cells.add(new Cell(NAME, BENCHMARK, parameters, ThreadKind.EVENT_LOOP, 1, level));
      }
    }
    return cells;
  }
}
