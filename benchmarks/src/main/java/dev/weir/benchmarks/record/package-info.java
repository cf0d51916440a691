/**
 * Records of runs in the repository: command, commit, machine, noise and rows; and their charts.
 */
@NullMarked
package dev.weir.benchmarks.record;

import org.jspecify.annotations.NullMarked;
