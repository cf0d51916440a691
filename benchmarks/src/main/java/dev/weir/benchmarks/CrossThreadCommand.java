package dev.weir.benchmarks;

import dev.weir.benchmarks.crossthread.CrossThreadSuite;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench crossthread}. */
@Command(
    name = "crossthread",
    description = "Allocates on one thread and releases on another, over a bounded queue.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench crossthread --quick"})
final class CrossThreadCommand implements Callable<Integer> {
  private static final List<Integer> QUEUES = List.of(1024);

  @Mixin private SuiteOptions options;
  @Mixin private SizeOption sizes;
  @Mixin private TouchOption touch;
  @Mixin private ThreadOption threads;

  CrossThreadCommand() {}

  @Override
  public Integer call() throws IOException {
    List<String> mixes =
        sizes.or(
            options.quick() ? List.of("256", "4K") : List.of("64", "256", "4K", "64K", "1..64K"));
    return options.run(
        new Suite(
            CrossThreadSuite.cells(
                mixes, QUEUES, threads.kinds(options), options.leakDetection(), touch.touches()),
            List.of(Metric.NS_PER_OP)));
  }
}
