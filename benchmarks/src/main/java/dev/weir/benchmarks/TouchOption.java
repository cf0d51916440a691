package dev.weir.benchmarks;

import java.util.List;
import picocli.CommandLine.Option;

/** The flag that says whether buffers are written to. */
final class TouchOption {
  @Option(
      names = "--touch",
      arity = "1",
      split = ",",
      converter = Labels.OfTouch.class,
      defaultValue = "yes",
      paramLabel = "yes|no",
      description =
          "Whether a byte of each page of a buffer is written, or memory is left alone (default:"
              + " ${DEFAULT-VALUE}).")
  private List<Boolean> touches;

  TouchOption() {}

  /** Each answer once, however often it was given. */
  List<Boolean> touches() {
    return touches.stream().distinct().toList();
  }
}
