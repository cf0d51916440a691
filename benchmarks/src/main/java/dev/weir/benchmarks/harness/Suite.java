package dev.weir.benchmarks.harness;

import java.util.List;

/**
 * What one run measures.
 *
 * @param cells in the order of the tables
 * @param metrics what tables show, the first of them always
 */
public record Suite(List<Cell> cells, List<Metric> metrics) {}
