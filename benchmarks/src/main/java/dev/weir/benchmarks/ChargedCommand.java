package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Suite;
import dev.weir.benchmarks.harness.ThreadKind;
import dev.weir.benchmarks.pattern.AllocPattern;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench charged}. */
@Command(
    name = "charged",
    description =
        "What a charged budget, the profile of live memory and metrics that are read every second"
            + " add, without Netty's leak detector.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench charged --quick"})
final class ChargedCommand implements Callable<Integer> {
  @Mixin private SuiteOptions options;
  @Mixin private ThreadOption threads;

  ChargedCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!options.leakDetection().contains(LeakDetection.DISABLED)) {
      throw options.rejected("--leak-detection: what is charged is measured with disabled");
    }
    return options.run(suite(threads.kinds(options)));
  }

  /** Its rows on these threads. */
  static Suite suite(List<ThreadKind> kinds) {
    List<Row> rows =
        new ArrayList<>(
            AllocSuite.rows(
                List.of(AllocPattern.ALLOCATE_RELEASE), List.of("256", "4K", "64K"), List.of(1)));
    rows.add(new Row(AllocPattern.RANDOM, "1..4K", 1024));
    return new Suite(
            AllocSuite.cells(
                "charged",
                rows,
                kinds,
                List.of(1),
                List.of(LeakDetection.DISABLED),
                List.of(false)),
            List.of(Metric.NS_PER_OP))
        .among(List.of(Peer.WEIR, Peer.WEIR_CHARGED, Peer.WEIR_BUDGET));
  }
}
