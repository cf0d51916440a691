package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.hello.LoopsSuite;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench loops}. */
@Command(
    name = "loops",
    description = "What the first request on each of 16 event loops makes resident.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench loops --quick"})
final class LoopsCommand implements Callable<Integer> {
  @Mixin private SuiteOptions options;

  LoopsCommand() {}

  @Override
  public Integer call() throws IOException {
    options.requireServiceJit();
    if (!options.leakDetection().contains(LeakDetection.SIMPLE)) {
      throw options.rejected("--leak-detection: loops are measured at Netty's default, simple");
    }
    return options.run(LoopsSuite.suite());
  }
}
