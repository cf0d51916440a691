package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.view.ViewSuite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench view}. */
@Command(
    name = "view",
    description =
        "Looks at a pool of many live blocks, as the console does: again and again, and once.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench view --quick"})
final class ViewCommand implements Callable<Integer> {
  private static final int MAX_BLOCKS = 4_000_000;

  @Mixin private SuiteOptions options;

  @Option(
      names = "--blocks",
      split = ",",
      defaultValue = "10000,1000000",
      paramLabel = "BLOCKS",
      description = "How many blocks are live (default: ${DEFAULT-VALUE}).")
  private List<Integer> blocks;

  ViewCommand() {}

  @Override
  public Integer call() throws IOException {
    options.requireServiceJit();
    if (blocks.stream().anyMatch(count -> count < 1 || count > MAX_BLOCKS)) {
      throw options.rejected("--blocks must be between 1 and %,d".formatted(MAX_BLOCKS));
    }
    return options.run(
        List.of(ViewSuite.looks(blocks), ViewSuite.firstLooks(blocks)), Effort.QUICK);
  }
}
