package dev.weir.lab.replay;

import org.jspecify.annotations.Nullable;

/** The peak and the mean of a ratio of bytes over samples. Not thread-safe. */
final class Ratio {
  private long count;
  private double sum;
  private double peak;
  private double sumOfBytes;
  private double sumOfLive;

  /**
   * Adds a sample; one without a numerator is left out.
   *
   * @param inMean whether it counts for the mean as well as for the peak
   */
  void add(long numerator, long denominator, boolean inMean) {
    if (numerator != Sample.UNKNOWN && denominator > 0) {
      double ratio = (double) numerator / denominator;
      peak = Math.max(peak, ratio);
      if (inMean) {
        count++;
        sum += ratio;
        sumOfBytes += numerator;
        sumOfLive += denominator;
      }
    }
  }

  void add(Ratio other) {
    count += other.count;
    sum += other.sum;
    sumOfBytes += other.sumOfBytes;
    sumOfLive += other.sumOfLive;
    peak = Math.max(peak, other.peak);
  }

  double rawPeak() {
    return peak;
  }

  /** Null without samples. */
  @Nullable Double peak() {
    return peak == 0 ? null : rounded(peak);
  }

  /** Null without samples. */
  @Nullable Double mean() {
    return count == 0 ? null : rounded(sum / count);
  }

  /** The mean of the numerators; null without samples. */
  @Nullable Long meanBytes() {
    return count == 0 ? null : Math.round(sumOfBytes / count);
  }

  /** The mean of the denominators; null without samples. */
  @Nullable Long meanLiveBytes() {
    return count == 0 ? null : Math.round(sumOfLive / count);
  }

  /** To four digits behind the point, as reports have them. */
  static double rounded(double ratio) {
    return Math.round(ratio * 10_000) / 10_000.0;
  }
}
