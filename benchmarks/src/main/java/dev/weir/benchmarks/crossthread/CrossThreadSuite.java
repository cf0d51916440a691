package dev.weir.benchmarks.crossthread;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.ThreadKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cells of the crossthread suite. */
public final class CrossThreadSuite {
  private static final String NAME = "crossthread";
  private static final String BENCHMARK = CrossThreadBenchmark.class.getName() + ".handOver";

  private CrossThreadSuite() {}

  /** Every combination of what is given; both threads of a cell are of one kind. */
  public static List<Cell> cells(
      List<String> sizes,
      List<Integer> queues,
      List<ThreadKind> kinds,
      List<LeakDetection> levels,
      List<Boolean> touches) {
    List<Cell> cells = new ArrayList<>();
    for (ThreadKind kind : kinds) {
      for (LeakDetection level : levels) {
        for (boolean touched : touches) {
          for (int queue : queues) {
            for (String mix : sizes) {
              Map<String, String> parameters = new LinkedHashMap<>();
              parameters.put("sizes", mix);
              parameters.put("queue", Integer.toString(queue));
              parameters.put("touch", touched ? "yes" : "no");
              cells.add(new Cell(NAME, BENCHMARK, parameters, kind, 1, level));
            }
          }
        }
      }
    }
    return cells;
  }
}
