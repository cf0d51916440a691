package dev.weir.benchmarks.harness;

import java.util.List;

/**
 * The rounds of one peer in one cell, summed up.
 *
 * @param nsPerOp the median of the rounds
 * @param minNs the fastest round
 * @param maxNs the slowest round
 * @param rounds how many there were
 */
public record Score(double nsPerOp, double minNs, double maxNs, int rounds) {

  /** Sums up at least one round, each in nanoseconds per operation. */
  public static Score of(List<Double> roundsNs) {
    double[] sorted = roundsNs.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Score(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** The error as reports give it: half of the distance between the fastest and slowest round. */
  public double error() {
    return (maxNs - minNs) / 2;
  }
}
