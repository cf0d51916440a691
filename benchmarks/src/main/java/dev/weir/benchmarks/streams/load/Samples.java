package dev.weir.benchmarks.streams.load;

import java.util.Arrays;

/** Times in nanoseconds, all of them kept. One thread's at a time. */
public final class Samples {
  private static final double NANOS_PER_MILLI = 1e6;

  private long[] nanos = new long[1024];
  private int count;

  /** None. */
  public Samples() {}

  /** Adds one. */
  public void add(long sample) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    nanos[count++] = sample;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** The time in milliseconds that the given share of them did not exceed; 0 for none. */
  public double quantileMillis(double share) {
    if (count == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(share * count);
    return sorted[Math.clamp(rank - 1, 0, count - 1)] / NANOS_PER_MILLI;
  }
}
