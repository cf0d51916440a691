/** The loops suite: what an event loop's first request makes resident. */
@NullMarked
package dev.weir.benchmarks.loops;

import org.jspecify.annotations.NullMarked;
