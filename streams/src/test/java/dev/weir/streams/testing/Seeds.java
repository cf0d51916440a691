package dev.weir.streams.testing;

import java.util.SplittableRandom;

/** Random runs that can be repeated: a failure names the line that replays it. */
public final class Seeds {
  private static final int LONG_FORM_FACTOR = 50;

  private Seeds() {}

  /** One run. */
  @FunctionalInterface
  public interface Run {
    void run(SplittableRandom random) throws Exception;
  }

  /** Runs a test with so many seeds: 1, 2, … and at last one that nobody has seen before. */
  public static void forSeeds(Class<?> test, int seeds, Run run) {
    Long only = Long.getLong("weir.test.seed");
    if (only != null) {
      once(test, only, run);
      return;
    }
    int count = Boolean.getBoolean("weir.test.long") ? seeds * LONG_FORM_FACTOR : seeds;
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
          "replay: ./mvnw -pl streams -am test -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false -Dweir.test.seed=%d%n%s"
              .formatted(test.getSimpleName(), seed, e),
          e);
    }
  }
}
