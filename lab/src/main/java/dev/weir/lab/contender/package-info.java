/**
 * What is compared: the allocators that traces are replayed against, behind one interface, and the
 * libraries that Weir compresses with.
 */
@NullMarked
package dev.weir.lab.contender;

import org.jspecify.annotations.NullMarked;
