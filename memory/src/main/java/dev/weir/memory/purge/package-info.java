/** How much free memory a pool keeps resident, as pure functions. */
@NullMarked
package dev.weir.memory.purge;

import org.jspecify.annotations.NullMarked;
