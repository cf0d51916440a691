package dev.weir.memory.profile;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Twelve successive amounts in a ring, and whether they grow. An amount that was never written is
 * 0. Not thread-safe.
 */
/*
 * Growth is a rise in at least four of the eleven steps, and at most a quarter of it lost in the others: what blocks
 * that come and go do by chance rises and falls about as much. The largest step does not count, so that a jump, as of a
 * buffer that is allocated once and kept, hides nothing and shows nothing. And at least six samples more: fewer are chance
 * where blocks are sampled rarely.
 */
final class GrowthSeries {
  static final int POINTS = 12;

  private static final int MIN_RISES = 4;
  private static final int MIN_MORE_SAMPLES = 6;
  private static final int RISEN_PER_FALLEN = 4;
  private static final double NANOS_PER_SECOND = 1e9;

  private final long[] bytes = new long[POINTS];
  private final int[] samples = new int[POINTS];

  /**
   * How an amount has grown.
   *
   * @param bytesPerSecond since it was least
   * @param nanos how long ago that was
   */
  record Growth(long bytesPerSecond, long nanos) {}

  void put(int number, long newBytes, int newSamples) {
    bytes[number % POINTS] = newBytes;
    samples[number % POINTS] = newSamples;
  }

  boolean isZero() {
    return Arrays.stream(bytes).allMatch(amount -> amount == 0);
  }

  /**
   * Looks for growth.
   *
   * @param nanos when the points were taken, in the same ring
   * @param count how many were taken; the last of them that fit are there
   * @return null if there is none
   */
  @Nullable Growth growth(long[] nanos, int count) {
    int first = Math.max(0, count - POINTS);
    int newest = (count - 1) % POINTS;
    int least = first;
    int rises = 0;
    long risen = 0;
    long largest = 0;
    long fallen = 0;
    for (int number = first + 1; number < count; number++) {
      long step = bytes[number % POINTS] - bytes[(number - 1) % POINTS];
      if (step > 0) {
        rises++;
        risen += step;
        largest = Math.max(largest, step);
      } else {
        fallen -= step;
      }
      if (bytes[number % POINTS] <= bytes[least % POINTS]) {
        least = number;
      }
    }
    if (rises < MIN_RISES
        || risen - largest < RISEN_PER_FALLEN * fallen
        || samples[newest] - samples[least % POINTS] < MIN_MORE_SAMPLES) {
      return null;
    }
    long more = bytes[newest] - bytes[least % POINTS];
    long since = Math.max(1, nanos[newest] - nanos[least % POINTS]);
    return new Growth(Math.round(more * NANOS_PER_SECOND / since), since);
  }
}
