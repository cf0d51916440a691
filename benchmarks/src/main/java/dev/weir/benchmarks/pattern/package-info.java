/** What buffers go through in the suites: sizes, and how long they live. */
@NullMarked
package dev.weir.benchmarks.pattern;

import org.jspecify.annotations.NullMarked;
