package dev.weir.benchmarks.alloc;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.ThreadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The cells of the alloc suite. */
public final class AllocSuite {
  private static final String NAME = "alloc";

  private AllocSuite() {}

  /** Every combination of what is given. */
  public static List<Cell> cells(
      List<AllocPattern> patterns,
      List<Integer> sizes,
      List<ThreadKind> threads,
      List<LeakDetection> levels) {
    List<Cell> cells = new ArrayList<>();
    for (AllocPattern pattern : patterns) {
      for (ThreadKind thread : threads) {
        for (LeakDetection level : levels) {
          for (int bytes : sizes) {
            cells.add(
                new Cell(
                    NAME, pattern.label(), bytes, thread, level, pattern.benchmark(), Map.of()));
          }
        }
      }
    }
    return cells;
  }
}
