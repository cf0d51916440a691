/** The grow suite: buffers that grow by what is written to them. */
@NullMarked
package dev.weir.benchmarks.grow;

import org.jspecify.annotations.NullMarked;
