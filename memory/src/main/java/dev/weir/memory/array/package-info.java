/**
 * Java heap memory for buffers: byte arrays cut into slots, kept for reuse, within one limit.
 *
 * <p>{@link dev.weir.memory.array.ArrayPool} counts and limits the arrays; an {@link
 * dev.weir.memory.array.ArrayHeap} is what one thread, or a stripe of threads, allocates from; an
 * {@link dev.weir.memory.array.ArraySlab} is one array.
 */
@NullMarked
package dev.weir.memory.array;

import org.jspecify.annotations.NullMarked;
