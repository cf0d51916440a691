package dev.weir.benchmarks.record;

import java.util.ArrayList;
import java.util.List;

/**
 * A logarithmic axis, so that a tenth and ten times are equally far from one. Lengths are those of
 * the drawing.
 */
final class Scale {
  private final double lowest;
  private final double highest;
  private final double width;

  /** An axis of whole decades around the values, of which there is at least one above 0. */
  Scale(List<Double> values, double width) {
    double min = values.stream().filter(value -> value > 0).min(Double::compare).orElse(1.0);
    double max = values.stream().max(Double::compare).orElse(min);
    lowest = Math.floor(Math.log10(min));
    highest = Math.max(lowest + 1, Math.ceil(Math.log10(max)));
    this.width = width;
  }

  /** How far from the left a value lies; what is too small lies at the left end. */
  double at(double value) {
    double log = Math.max(lowest, Math.log10(Math.max(value, Double.MIN_NORMAL)));
    return (log - lowest) / (highest - lowest) * width;
  }

  /** The powers of ten from end to end. */
  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    for (double log = lowest; log <= highest; log++) {
      ticks.add(Math.pow(10, log));
    }
    return ticks;
  }
}
