package dev.weir.memory.testing;

import java.util.SplittableRandom;

/**
 * Random runs that can be repeated: a failure names the line that replays it.
 *
 * <p>{@code -Dweir.test.seed=N} runs that seed alone; {@code -Dweir.test.long=true} runs many more.
 */
public final class SeededRuns {
  private static final int LONG_FORM_FACTOR = 50;

  private SeededRuns() {}

  /** One run. */
  @FunctionalInterface
  public interface Run {
    void run(SplittableRandom random) throws Exception;
  }

  /** Whether the long form was asked for. */
  public static boolean isLong() {
    return Boolean.getBoolean("weir.test.long");
  }

  /**
   * Runs a test with so many seeds: 1, 2, … and at last one that nobody has seen before.
   *
   * @param test the test class, to name in the line that replays a failure
   */
  public static void forSeeds(Class<?> test, int seeds, Run run) {
    Long only = Long.getLong("weir.test.seed");
    if (only != null) {
      once(test, only, run);
      return;
    }
    int count = isLong() ? seeds * LONG_FORM_FACTOR : seeds;
    for (int seed = 1; seed < count; seed++) {
      once(test, seed, run);
    }
    once(test, System.nanoTime(), run);
  }

  private static void once(Class<?> test, long seed, Run run) {
    try {
      run.run(new SplittableRandom(seed));
    } catch (Exception | Error e) {
      throw new AssertionError(
          "replay: ./mvnw -pl memory test -Dtest=%s -Dweir.test.seed=%d%n%s"
              .formatted(test.getSimpleName(), seed, e),
          e);
    }
  }
}
