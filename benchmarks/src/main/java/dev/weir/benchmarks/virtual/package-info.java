/** The virtual suite: patterns of buffers on many virtual threads. */
@NullMarked
package dev.weir.benchmarks.virtual;

import org.jspecify.annotations.NullMarked;
