package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.heapbuffers.HeapBuffersBenchmark;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench heap-buffers}. */
@Command(
    name = "heap-buffers",
    description =
        "Heap buffers: random replacement of 1,024, written in full and not, on one loop.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench heap-buffers --quick --leak-detection disabled"})
final class HeapBuffersCommand implements Callable<Integer> {
  private static final String BENCHMARK = HeapBuffersBenchmark.class.getName() + ".replace";

  private static final List<String> SIZES = List.of("1K", "4K", "16K", "64K", "1..4K", "1..64K");

  @Mixin private SuiteOptions options;

  HeapBuffersCommand() {}

  @Override
  public Integer call() throws IOException {
    return options.run(suite(options.leakDetection()));
  }

  /** Its rows at these levels. */
  static Suite suite(List<LeakDetection> levels) {
    List<Cell> cells = new ArrayList<>();
    for (LeakDetection level : levels) {
      for (String written : List.of("yes", "no")) {
        for (String sizes : SIZES) {
          Map<String, String> parameters = new LinkedHashMap<>();
          parameters.put("sizes", sizes);
          parameters.put("live", "1024");
          parameters.put("written", written);
          cells.add(
              new Cell("heap-buffers", BENCHMARK, parameters, ThreadKind.EVENT_LOOP, 1, level));
        }
      }
    }
    return new Suite(cells, List.of(Metric.NS_PER_OP, Metric.HEAP_BYTES_PER_OP))
        .among(List.of(Peer.WEIR, Peer.NETTY_POOLED, Peer.NETTY_ADAPTIVE));
  }
}
