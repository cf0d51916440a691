package dev.weir.lab.replay;

import dev.weir.lab.options.Checks;
import picocli.CommandLine.Option;

/** What determines a synthetic trace. */
final class SyntheticOptions {
  private static final double MIN_SCALE = 0.001;
  private static final double MAX_SCALE = 100;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of a trace that is made from one (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--scale",
      defaultValue = "1",
      paramLabel = "X",
      description = "Size of such a trace, 0.1 for a tenth (default: ${DEFAULT-VALUE}).")
  private double scale;

  SyntheticOptions() {}

  long seed() {
    return seed;
  }

  double scale(Checks checks) {
    checks.require(scale >= MIN_SCALE && scale <= MAX_SCALE, "--scale", "between 0.001 and 100");
    return scale;
  }
}
