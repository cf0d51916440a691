package dev.weir.benchmarks.harness;

import java.util.List;

/**
 * What one run measures.
 *
 * @param cells in the order of the tables
 * @param metrics what tables show
 * @param once whether a cell is what happens once in a JVM, not what it does again and again
 */
public record Suite(List<Cell> cells, List<Metric> metrics, boolean once) {

  /** A suite of things done again and again. */
  public Suite(List<Cell> cells, List<Metric> metrics) {
    this(cells, metrics, /* once= */ false);
  }
}
