/** Meters of a pool, of gates and of caches for Micrometer. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
