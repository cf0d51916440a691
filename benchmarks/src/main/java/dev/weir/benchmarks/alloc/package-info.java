/** The alloc suite: buffers that are allocated and released in three patterns. */
@NullMarked
package dev.weir.benchmarks.alloc;

import org.jspecify.annotations.NullMarked;
