package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocPattern;
import dev.weir.benchmarks.alloc.AllocSuite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir bench alloc}. */
@Command(
    name = "alloc",
    description = "Allocates and releases buffers: at once, first in first out, at random.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench alloc --quick",
      "  weir bench alloc --quick --pattern ring-1024 --bytes 4096 --json alloc.jsonl"
    })
final class AllocCommand implements Callable<Integer> {
  private static final int MAX_BYTES = 16 << 20;

  @Spec private CommandSpec spec;
  @Mixin private SuiteOptions options;

  @Option(
      names = "--pattern",
      split = ",",
      converter = Labels.OfAllocPattern.class,
      paramLabel = "NAME",
      description =
          "allocate-release, ring-1024, random-1024 (default: all; with --quick allocate-release).")
  private @Nullable List<AllocPattern> patterns;

  @Option(
      names = "--bytes",
      split = ",",
      defaultValue = "256,4096,65536",
      paramLabel = "N",
      description = "Sizes of the buffers (default: ${DEFAULT-VALUE}).")
  private List<Integer> sizes;

  AllocCommand() {}

  @Override
  public Integer call() throws IOException, RunnerException {
    for (int size : sizes) {
      if (size < 1 || size > MAX_BYTES) {
        throw new ParameterException(
            spec.commandLine(), "--bytes must be between 1 and " + MAX_BYTES);
      }
    }
    return options.run(
        AllocSuite.cells(patterns(), sizes, options.threads(), options.leakDetection()));
  }

  private List<AllocPattern> patterns() {
    if (patterns != null) {
      return patterns;
    }
    return options.quick()
        ? List.of(AllocPattern.ALLOCATE_RELEASE)
        : List.of(AllocPattern.values());
  }
}
