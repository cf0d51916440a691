/** Runs JMH benchmarks peer by peer, alternating, and sums the rounds up. */
@NullMarked
package dev.weir.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
