/** What heap buffers cost, many of them live. */
@NullMarked
package dev.weir.benchmarks.heapbuffers;

import org.jspecify.annotations.NullMarked;
