/**
 * What a pool shows of itself to people and to programs that watch it: waste by kind, size classes,
 * heaps, budgets, and a map of its pages. Plain values, taken without stopping anybody; {@code
 * Pool.view} makes them.
 */
@NullMarked
package dev.weir.memory.view;

import org.jspecify.annotations.NullMarked;
