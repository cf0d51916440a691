package dev.weir.benchmarks;

import dev.weir.benchmarks.grow.GrowSuite;
import dev.weir.benchmarks.harness.Suite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench grow}. */
@Command(
    name = "grow",
    description = "Writes into a buffer that begins with 256 bytes and grows.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench grow --quick"})
final class GrowCommand implements Callable<Integer> {
  private static final int MAX_MIB = 128;

  @Mixin private SuiteOptions options;

  @Option(
      names = "--content",
      split = ",",
      defaultValue = "64",
      paramLabel = "MIB",
      description = "How much is written, in MiB (default: ${DEFAULT-VALUE}).")
  private List<Integer> contents;

  GrowCommand() {}

  @Override
  public Integer call() throws IOException {
    if (contents.stream().anyMatch(content -> content < 1 || content > MAX_MIB)) {
      throw options.rejected("--content must be between 1 and " + MAX_MIB);
    }
    return options.run(
        new Suite(GrowSuite.cells(contents, options.leakDetection()), GrowSuite.METRICS));
  }
}
