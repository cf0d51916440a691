/** Allocation traces: what they say, how they are stored, and where they come from. */
@NullMarked
package dev.weir.lab.trace;

import org.jspecify.annotations.NullMarked;
