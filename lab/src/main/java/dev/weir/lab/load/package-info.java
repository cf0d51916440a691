/** Clients that send at a fixed pace. */
@NullMarked
package dev.weir.lab.load;

import org.jspecify.annotations.NullMarked;
