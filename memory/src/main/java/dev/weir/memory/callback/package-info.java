/**
 * Calls of code that is not the pool's: what it throws, and how long it takes, is its own matter.
 */
@NullMarked
package dev.weir.memory.callback;

import org.jspecify.annotations.NullMarked;
