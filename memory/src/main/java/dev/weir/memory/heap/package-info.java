/**
 * Slabs and the heaps that allocate from them: one heap for each event loop, without atomics on its
 * owner's path, and locked stripes for every other thread.
 */
@NullMarked
package dev.weir.memory.heap;

import org.jspecify.annotations.NullMarked;
