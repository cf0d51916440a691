package dev.weir.benchmarks.alloc;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.pattern.SizeMix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the alloc suite, and those that vary it, measure. */
public final class AllocSuite {
  /** What its tables show. */
  public static final List<Metric> METRICS =
      List.of(Metric.NS_PER_OP, Metric.HEAP_BYTES_PER_BUFFER, Metric.GC_NS_PER_OP);

  /** The most that one cell may keep live in buffers, by the mean of their sizes: 3 GiB. */
  public static final long MAX_LIVE_BYTES = 3L << 30;

  /** How many event loops are alive in the alloc suite, the measured one among them. */
  public static final int DEFAULT_LOOPS = 16;

  private static final String BENCHMARK = AllocBenchmark.class.getName() + ".step";

  private AllocSuite() {}

  /**
   * A row of the suite without its threads and its level of leak detection.
   *
   * @param pattern what the buffers go through
   * @param sizes a {@link SizeMix} as text
   * @param live how many buffers each thread keeps live; 1 for a pattern that keeps none
   */
  public record Row(AllocPattern pattern, String sizes, int live) {

    /** The bytes that {@code threads} threads keep live, by the mean of the sizes. */
    public double liveBytes(int threads) {
      return SizeMix.of(sizes, 1).meanBytes() * live * threads;
    }

    /** The parameters of the JMH benchmark. */
    public Map<String, String> parameters(boolean touched) {
      Map<String, String> parameters = new LinkedHashMap<>();
      parameters.put("pattern", pattern.label());
      parameters.put("sizes", sizes);
      parameters.put("live", Integer.toString(live));
      parameters.put("touch", touched ? "yes" : "no");
      return parameters;
    }
  }

  /** Rows for every combination; patterns that keep no buffers appear once for each size. */
  public static List<Row> rows(
      List<AllocPattern> patterns, List<String> sizes, List<Integer> lives) {
    List<Row> rows = new ArrayList<>();
    for (AllocPattern pattern : patterns) {
      for (int live : pattern.keepsBuffers() ? lives : List.of(1)) {
        for (String mix : sizes) {
          rows.add(new Row(pattern, mix, live));
        }
      }
    }
    return rows;
  }

  /** The cells of the alloc suite itself: on one thread, while {@code loops} loops are alive. */
  public static List<Cell> cells(
      List<Row> rows,
      List<ThreadKind> kinds,
      List<LeakDetection> levels,
      List<Boolean> touches,
      int loops) {
    return cells("alloc", rows, kinds, List.of(1), levels, touches).stream()
        .map(cell -> cell.with("loops", Integer.toString(loops)))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** The cells of some rows. */
  public static List<Cell> cells(
      String suite,
      List<Row> rows,
      List<ThreadKind> kinds,
      List<Integer> threads,
      List<LeakDetection> levels,
      List<Boolean> touches) {
    List<Cell> cells = new ArrayList<>();
    for (ThreadKind kind : kinds) {
      for (LeakDetection level : levels) {
        for (boolean touched : touches) {
          for (Row row : rows) {
            for (int count : threads) {
              cells.add(new Cell(suite, BENCHMARK, row.parameters(touched), kind, count, level));
            }
          }
        }
      }
    }
    return cells;
  }
}
