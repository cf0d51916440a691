package dev.weir.benchmarks.hello;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the loops suite measures. */
public final class LoopsSuite {
  private static final String BENCHMARK = LoopsBenchmark.class.getName() + ".greetEachLoop";

  private LoopsSuite() {}

  /** Its one cell, with the detector as services have it. */
  public static Suite suite() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("server", "http-hello");
    Cell cell =
        new Cell("loops", BENCHMARK, parameters, ThreadKind.EVENT_LOOP, 1, LeakDetection.SIMPLE);
    return new Suite(List.of(cell), List.of(Metric.RSS_BYTES_PER_LOOP, Metric.NS_PER_OP))
        .with(Effort::once);
  }
}
