/** The crossthread suite: buffers that one thread allocates and another releases. */
@NullMarked
package dev.weir.benchmarks.crossthread;

import org.jspecify.annotations.NullMarked;
