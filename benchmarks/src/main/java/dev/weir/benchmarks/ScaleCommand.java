package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.pattern.AllocPattern;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench scale}. */
@Command(
    name = "scale",
    description = "The patterns of 'alloc' on several platform threads at once.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench scale --quick --threads 1,8"})
final class ScaleCommand implements Callable<Integer> {
  private static final int MAX_THREADS = 256;

  @Mixin private SuiteOptions options;
  @Mixin private RowOptions rows;
  @Mixin private TouchOption touch;
  @Mixin private ThreadOption kinds;

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2,4,16",
      paramLabel = "N",
      description = "How many threads share the allocator (default: ${DEFAULT-VALUE}).")
  private List<Integer> threads;

  ScaleCommand() {}

  @Override
  public Integer call() throws IOException {
    if (threads.stream().anyMatch(count -> count < 1 || count > MAX_THREADS)) {
      throw options.rejected("--threads must be between 1 and " + MAX_THREADS);
    }
    List<Row> defaults =
        options.quick()
            ? List.of(new Row(AllocPattern.RANDOM, "1..4K", 1024))
            : AllocSuite.rows(
                List.of(AllocPattern.values()), List.of("256", "1..4K", "1..64K"), List.of(1024));
    return options.run(
        new Suite(
            AllocSuite.cells(
                "scale",
                rows.rows(defaults, Collections.max(threads)),
                kinds.kinds(options),
                threads,
                options.leakDetection(),
                touch.touches()),
            List.of(Metric.NS_PER_OP)));
  }
}
