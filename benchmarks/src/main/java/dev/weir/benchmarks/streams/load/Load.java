package dev.weir.benchmarks.streams.load;

/**
 * What came of a number of requests.
 *
 * @param answers how many were answered with success
 * @param failures how many were not
 * @param seconds how long it took
 * @param p99Millis the time that 99 of 100 answers did not exceed
 */
public record Load(long answers, long failures, double seconds, double p99Millis) {
  /** Answers in a second. */
  public double perSecond() {
    return answers / seconds;
  }
}
