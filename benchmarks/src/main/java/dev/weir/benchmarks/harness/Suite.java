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
 * @param quickPeers whom it compares in a quick run unless the user chooses; empty for the usual
 *     ones
 * @param jvmFlags what its JVMs are told beside what all are, and instead of it
 */
public record Suite(
    List<Cell> cells,
    List<Metric> metrics,
    UnaryOperator<Effort> effort,
    List<Peer> peers,
    List<Peer> quickPeers,
    List<String> jvmFlags) {

  /** A suite of things done again and again, by the usual peers. */
  public Suite(List<Cell> cells, List<Metric> metrics) {
    this(cells, metrics, UnaryOperator.identity(), List.of(), List.of(), List.of());
  }

  /** The same with another effort. */
  public Suite with(UnaryOperator<Effort> other) {
    return new Suite(cells, metrics, other, peers, quickPeers, jvmFlags);
  }

  /** The same for these peers. */
  public Suite among(List<Peer> others) {
    return new Suite(cells, metrics, effort, others, quickPeers, jvmFlags);
  }

  /** The same with others than the usual ones in quick runs. */
  public Suite quicklyAmong(List<Peer> others) {
    return new Suite(cells, metrics, effort, peers, others, jvmFlags);
  }

  /** The same in JVMs with these flags. */
  public Suite under(List<String> flags) {
    return new Suite(cells, metrics, effort, peers, quickPeers, flags);
  }
}
