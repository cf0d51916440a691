package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.virtual.VirtualSuite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench virtual}. */
@Command(
    name = "virtual",
    description = "The patterns of 'alloc' on 64 virtual threads, with 16 live buffers on each.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench virtual --quick"})
final class VirtualCommand implements Callable<Integer> {
  private static final List<Integer> LIVE = List.of(16);

  @Mixin private SuiteOptions options;
  @Mixin private RowOptions rows;
  @Mixin private TouchOption touch;

  VirtualCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Row> defaults =
        options.quick()
            ? AllocSuite.rows(
                List.of(AllocPattern.ALLOCATE_RELEASE), List.of("64", "256", "4K", "64K"), LIVE)
            : AllocSuite.rows(
                List.of(AllocPattern.values()), List.of("64", "256", "4K", "64K", "1..64K"), LIVE);
    return options.run(
        new Suite(
            VirtualSuite.cells(
                rows.rows(defaults, VirtualSuite.THREADS),
                options.leakDetection(),
                touch.touches()),
            List.of(Metric.NS_PER_OP)));
  }
}
