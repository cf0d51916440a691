package dev.weir.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag that says whether buffers are written to. */
final class TouchOption {
  @Option(
      names = "--touch",
      arity = "1",
      split = ",",
      converter = Labels.OfTouch.class,
      paramLabel = "yes|no",
      description =
          "Whether a byte of each page of a buffer is written (default: no,yes; with --quick no).")
  private @Nullable List<Boolean> touches;

  TouchOption() {}

  /** Each answer once, however often it was given. */
  List<Boolean> touches(SuiteOptions options) {
    if (touches != null) {
      return touches.stream().distinct().toList();
    }
    return options.quick() ? List.of(false) : List.of(false, true);
  }
}
