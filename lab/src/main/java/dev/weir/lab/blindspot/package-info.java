/**
 * One load of four features, one of which leaks, and what allocator, JVM and kernel say of it:
 * {@code weir lab run blind-spot}.
 */
@NullMarked
package dev.weir.lab.blindspot;

import org.jspecify.annotations.NullMarked;
