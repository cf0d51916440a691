package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.LeakDetection;
import dev.weir.benchmarks.written.Workload;
import dev.weir.benchmarks.written.WrittenSuite;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench written}. */
@Command(
    name = "written",
    description =
        "Replaces buffers on one event loop and writes every byte: time, resident memory at its"
            + " peak and when idle, page faults.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench written --quick",
      "  weir bench written --workload medium,large --allocators weir,netty-pooled,mimalloc"
    })
final class WrittenCommand implements Callable<Integer> {
  @Mixin private SuiteOptions options;

  @Option(
      names = "--workload",
      split = ",",
      converter = Labels.OfWorkload.class,
      paramLabel = "NAME",
      description =
          "small, medium, large, bursts, websocket-proxy, websocket-proxy-16K, api-gateway,"
              + " api-gateway-16K (default: all).")
  private @Nullable List<Workload> workloads;

  WrittenCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!options.leakDetection().contains(LeakDetection.DISABLED)) {
      throw options.rejected("--leak-detection: what is written is measured with disabled");
    }
    List<Workload> chosen = workloads == null ? Arrays.asList(Workload.values()) : workloads;
    return options.run(
        List.of(WrittenSuite.suite(chosen.stream().distinct().toList())), Effort.QUICK);
  }
}
