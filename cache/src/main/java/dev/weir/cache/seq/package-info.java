/** Blocks cut one after another out of chunks. */
@NullMarked
package dev.weir.cache.seq;

import org.jspecify.annotations.NullMarked;
