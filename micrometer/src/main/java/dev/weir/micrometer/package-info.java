/** Meters of a pool for Micrometer. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
