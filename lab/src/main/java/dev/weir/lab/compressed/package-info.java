/** Compressed responses: to clients that vanish in the middle, and to many that stay. */
@NullMarked
package dev.weir.lab.compressed;

import org.jspecify.annotations.NullMarked;
