/** The one lock that the layers above share. */
@NullMarked
package dev.weir.memory.sync;

import org.jspecify.annotations.NullMarked;
