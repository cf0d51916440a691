/** The written suite: buffers whose every byte is written, in time and in resident memory. */
@NullMarked
package dev.weir.benchmarks.written;

import org.jspecify.annotations.NullMarked;
