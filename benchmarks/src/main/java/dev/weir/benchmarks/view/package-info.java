/** What a look at a large pool costs. */
@NullMarked
package dev.weir.benchmarks.view;

import org.jspecify.annotations.NullMarked;
