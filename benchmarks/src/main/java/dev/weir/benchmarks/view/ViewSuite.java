package dev.weir.benchmarks.view;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.peer.Peer;
import java.util.List;
import java.util.Map;

/** What the view suite measures: Weir alone, since nobody else has a map of its pages. */
public final class ViewSuite {
  private ViewSuite() {}

  /** Looks by code that has been compiled: a row for each number of live blocks. */
  public static Suite looks(List<Integer> blocks) {
    return new Suite(
            cells("again", "look", blocks), List.of(Metric.NS_PER_OP, Metric.HEAP_BYTES_PER_OP))
        .among(List.of(Peer.WEIR));
  }

  /** The first look of a JVM, which runs in the interpreter and loads the classes. */
  public static Suite firstLooks(List<Integer> blocks) {
    return new Suite(cells("first", "firstLook", blocks), List.of(Metric.NS_PER_OP))
        .with(Effort::once)
        .among(List.of(Peer.WEIR));
  }

  private static List<Cell> cells(String look, String method, List<Integer> blocks) {
    return blocks.stream()
        .map(count ->
            new Cell(
                "view",
                ViewBenchmark.class.getName() + "." + method,
                Map.of("blocks", Integer.toString(count), "look", look),
                ThreadKind.PLAIN,
                1,
                LeakDetection.DISABLED))
        .toList();
  }
}
