package dev.weir.benchmarks;

import dev.weir.benchmarks.compression.CompressionSuite;
import dev.weir.benchmarks.harness.Effort;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench compression}. */
@Command(
    name = "compression",
    description =
        "Compresses responses of JSON at level 3 of zstd: bare libraries, Weir's handler and"
            + " Netty's.",
    sortOptions = false,
    footer = {"", "Example:", "  weir bench compression --quick"})
final class CompressionCommand implements Callable<Integer> {
  private static final int MAX_BYTES = 64 << 20;

  @Mixin private SuiteOptions options;

  @Option(
      names = "--content",
      split = ",",
      defaultValue = "20000,200000,2000000",
      paramLabel = "BYTES",
      description = "How long a content is (default: ${DEFAULT-VALUE}).")
  private List<Integer> contents;

  CompressionCommand() {}

  @Override
  public Integer call() throws IOException {
    if (contents.stream().anyMatch(bytes -> bytes < 1 || bytes > MAX_BYTES)) {
      throw options.rejected("--content must be between 1 and %,d".formatted(MAX_BYTES));
    }
    return options.run(CompressionSuite.suites(contents), Effort.QUICK);
  }
}
