package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.JitState;

/**
 * Under which conditions something was measured. Figures of different ones do not compare.
 *
 * @param jit what the compiler had seen
 * @param effort how long each peer was measured
 */
public record Conditions(JitState jit, Effort effort) {}
