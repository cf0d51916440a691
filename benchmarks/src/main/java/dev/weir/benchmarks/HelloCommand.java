package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.hello.HelloSuite;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench hello}. */
@Command(
    name = "hello",
    description =
        "Requests for a line of text, one and sixteen at a time: Weir with its gates, and plain"
            + " Netty.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench hello --quick --rounds 10"})
final class HelloCommand implements Callable<Integer> {
  @Mixin private SuiteOptions options;

  HelloCommand() {}

  @Override
  public Integer call() throws IOException {
    options.requireServiceJit();
    if (!options.leakDetection().contains(LeakDetection.SIMPLE)) {
      throw options.rejected("--leak-detection: requests are measured at Netty's default, simple");
    }
    return options.run(HelloSuite.suite());
  }
}
