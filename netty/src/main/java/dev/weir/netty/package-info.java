/** Weir for Netty 4.2: the buffer allocator and the pipeline handlers that keep memory bounded. */
@NullMarked
package dev.weir.netty;

import org.jspecify.annotations.NullMarked;
