/** Traces that are made from a seed instead of being recorded. */
@NullMarked
package dev.weir.lab.trace.synthetic;

import org.jspecify.annotations.NullMarked;
