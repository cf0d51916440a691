/** Servers of streams in processes of their own, and what the system says of these. */
@NullMarked
package dev.weir.benchmarks.streams.process;

import org.jspecify.annotations.NullMarked;
