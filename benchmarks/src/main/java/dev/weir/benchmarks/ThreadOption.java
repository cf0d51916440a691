package dev.weir.benchmarks;

import dev.weir.benchmarks.harness.ThreadKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag of suites that run on platform threads. */
final class ThreadOption {
  @Option(
      names = "--thread",
      split = ",",
      converter = Labels.OfPlatformThread.class,
      paramLabel = "KIND",
      description = "event-loop, plain (default: both; with --quick event-loop).")
  private @Nullable List<ThreadKind> kinds;

  ThreadOption() {}

  List<ThreadKind> kinds(SuiteOptions options) {
    if (kinds != null) {
      return kinds;
    }
    return options.quick()
        ? List.of(ThreadKind.EVENT_LOOP)
        : List.of(ThreadKind.EVENT_LOOP, ThreadKind.PLAIN);
  }
}
