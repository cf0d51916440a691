package dev.weir.benchmarks.harness;

import java.util.List;

/**
 * The rounds of one peer in one cell, summed up.
 *
 * @param median of the rounds
 * @param min the best round
 * @param max the worst round
 * @param rounds how many there were
 */
public record Score(double median, double min, double max, int rounds) {

  /** Sums up at least one round. */
  public static Score of(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Score(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** The error as tables give it: half of the distance between the best and the worst round. */
  public double error() {
    return (max - min) / 2;
  }
}
