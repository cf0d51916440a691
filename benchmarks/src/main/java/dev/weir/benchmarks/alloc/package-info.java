/** The alloc and scale suites: patterns of buffers on one thread, and on many at once. */
@NullMarked
package dev.weir.benchmarks.alloc;

import org.jspecify.annotations.NullMarked;
