package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Cells that are measured in one way and shown in one set of tables.
 *
 * @param cells in the order of the tables
 * @param metrics what tables show
 * @param effort what becomes of the effort that the user chose
 * @param peers whom it compares unless the user chooses; empty for the usual ones
 */
public record Suite(
    List<Cell> cells, List<Metric> metrics, UnaryOperator<Effort> effort, List<Peer> peers) {

  /** A suite of things done again and again, by the usual peers. */
  public Suite(List<Cell> cells, List<Metric> metrics) {
    this(cells, metrics, UnaryOperator.identity(), List.of());
  }

  /** The same with another effort. */
  public Suite with(UnaryOperator<Effort> other) {
    return new Suite(cells, metrics, other, peers);
  }

  /** The same for these peers. */
  public Suite among(List<Peer> others) {
    return new Suite(cells, metrics, effort, others);
  }
}
