/** A JVM of its own for each allocator, and the lines that pass between it and the lab. */
@NullMarked
package dev.weir.lab.child;

import org.jspecify.annotations.NullMarked;
