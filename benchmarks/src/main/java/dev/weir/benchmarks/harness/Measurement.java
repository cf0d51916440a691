package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import java.util.Map;

/**
 * What was measured in one cell.
 *
 * @param cell what was to be measured
 * @param scores one for each peer, in the order of the command line
 */
public record Measurement(Cell cell, Map<Peer, Score> scores) {}
