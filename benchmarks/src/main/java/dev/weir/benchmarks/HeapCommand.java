package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.AllocPattern;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench heap}. */
@Command(
    name = "heap",
    description =
        "What live buffers take of the Java heap, and of the collector's time: random replacement,"
            + " long enough for several collections.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench heap --quick"})
final class HeapCommand implements Callable<Integer> {
  /** So many times as many seconds, of which a brief run has two, and two collections in them. */
  private static final int COUNTED = 3;

  @Mixin private SuiteOptions options;

  HeapCommand() {}

  @Override
  public Integer call() throws IOException {
    return options.run(suite(options.leakDetection()));
  }

  /** Its rows at these levels. */
  static Suite suite(List<LeakDetection> levels) {
    return new Suite(
            AllocSuite.cells(
                "heap",
                AllocSuite.rows(
                    List.of(AllocPattern.RANDOM), List.of("1..4K"), List.of(1024, 65_536)),
                List.of(ThreadKind.EVENT_LOOP),
                List.of(1),
                levels,
                List.of(false)),
            List.of(Metric.HEAP_BYTES_PER_BUFFER, Metric.HEAP_BYTES_PER_OP, Metric.GC_NS_PER_OP))
        .with(effort -> effort.longer().counting(COUNTED));
  }
}
