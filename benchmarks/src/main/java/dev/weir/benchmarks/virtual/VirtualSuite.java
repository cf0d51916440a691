package dev.weir.benchmarks.virtual;

import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.ThreadKind;
import java.util.ArrayList;
import java.util.List;

/** The cells of the virtual suite. */
public final class VirtualSuite {
  /** How many virtual threads run each row. */
  public static final int THREADS = VirtualBenchmark.THREADS;

  private static final String NAME = "virtual";
  private static final String BENCHMARK = VirtualBenchmark.class.getName() + ".run";

  private VirtualSuite() {}

  /** The rows at each level, with and without touching. */
  public static List<Cell> cells(
      List<Row> rows, List<LeakDetection> levels, List<Boolean> touches) {
    List<Cell> cells = new ArrayList<>();
    for (LeakDetection level : levels) {
      for (boolean touched : touches) {
        for (Row row : rows) {
          cells.add(
              new Cell(
                  NAME, BENCHMARK, row.parameters(touched), ThreadKind.VIRTUAL, THREADS, level));
        }
      }
    }
    return cells;
  }
}
