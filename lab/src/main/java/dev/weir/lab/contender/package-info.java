/** The allocators that traces are replayed against, behind one interface. */
@NullMarked
package dev.weir.lab.contender;

import org.jspecify.annotations.NullMarked;
