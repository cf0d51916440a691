package dev.weir.benchmarks.record;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How quiet the machine was during a run: the same loop of arithmetic before and after it, and the
 * time that other processes and the hypervisor took meanwhile.
 *
 * @param calibrationNsBefore the time of a step of the loop before the run
 * @param calibrationNsAfter and after it
 * @param othersPercent of all processors' time, used by other processes
 * @param stolenPercent of all processors' time, taken by the hypervisor
 */
public record Noise(
    double calibrationNsBefore,
    double calibrationNsAfter,
    double othersPercent,
    double stolenPercent) {
  private static final int CALIBRATIONS = 9;
  private static final int STEPS = 10_000_000;

  /** Above this, times are inflated by more than what rounds tell apart. */
  private static final double LOUD_PERCENT = 5;

  /** Watches a machine from its making on. */
  public static final class Watch {
    private final double calibrationNsBefore = nanosPerStep();
    private final CpuTimes before = CpuTimes.now();

    /** Calibrates and begins. */
    public Watch() {}

    /** Calibrates again, and sums up. */
    public Noise end() {
      CpuTimes after = CpuTimes.now();
      return new Noise(
          calibrationNsBefore,
          nanosPerStep(),
          after.othersPercent(before),
          after.stolenPercent(before));
    }
  }

  /** A line for the user, if there was so much that the figures suffer. */
  public Optional<String> warning() {
    return othersPercent + stolenPercent < LOUD_PERCENT
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "the machine was not quiet: other processes took %.0f %% of its time, the"
                    + " hypervisor %.0f %%",
                othersPercent,
                stolenPercent));
  }

  /** As a JSON object. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("calibrationNsBefore", rounded(calibrationNsBefore));
    fields.put("calibrationNsAfter", rounded(calibrationNsAfter));
    fields.put("othersPercent", rounded(othersPercent));
    fields.put("stolenPercent", rounded(stolenPercent));
    return fields;
  }

  /** The median time of a step of a chain that needs each result for the next, and no memory. */
  private static double nanosPerStep() {
    double[] nanos = new double[CALIBRATIONS];
    long value = 1;
    for (int i = 0; i < CALIBRATIONS; i++) {
      long start = System.nanoTime();
      value = chain(value);
      nanos[i] = (double) (System.nanoTime() - start) / STEPS;
    }
    Arrays.sort(nanos);
    if (value == 0) {
      throw new AssertionError("the chain never comes to 0");
    }
    return nanos[CALIBRATIONS / 2];
  }

  private static long chain(long start) {
    long value = start;
    for (int i = 0; i < STEPS; i++) {
      value ^= value << 13;
      value ^= value >>> 7;
      value ^= value << 17;
    }
    return value;
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
