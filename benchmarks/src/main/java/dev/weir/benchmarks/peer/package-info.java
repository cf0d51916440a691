/** The allocators that are measured beside each other. */
@NullMarked
package dev.weir.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
