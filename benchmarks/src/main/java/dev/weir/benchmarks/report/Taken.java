package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Score;
import dev.weir.lab.report.Outcome;

/**
 * What a peer takes, as goals see it.
 *
 * @param median of its rounds
 * @param least what it may be by the best round
 * @param most what it may be by the worst one
 */
record Taken(double median, double least, double most) {

  static Taken of(Score score) {
    return new Taken(score.median(), score.min(), score.max());
  }

  /**
   * What remains of it without a part that was measured by itself. Of two that are about the same,
   * less than nothing may seem to remain: that is nothing, give or take as much.
   */
  Taken less(Taken part) {
    double lowest = least - part.most;
    return new Taken(
        Math.max(0, median - part.median),
        Math.max(0, lowest),
        Math.max(most - part.least, -Math.min(0, lowest)));
  }

  /**
   * Whether this is at most so many times the other, also by the worst round of the one and the
   * best of the other.
   */
  Outcome isAtMost(double times, Taken other) {
    if (most <= times * other.least) {
      return Outcome.REACHED;
    }
    return least > times * other.most ? Outcome.MISSED : Outcome.WITHIN_NOISE;
  }

  /** Whether this is at most that. */
  Outcome isAtMost(double bound) {
    return isAtMost(1, new Taken(bound, bound, bound));
  }
}
