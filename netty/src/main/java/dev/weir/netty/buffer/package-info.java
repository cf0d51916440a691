/**
 * The buffers behind {@link dev.weir.netty.WeirAllocator}: where their blocks come from, how their
 * bytes are read and written, what a thread keeps. Nothing here is exported.
 */
@NullMarked
package dev.weir.netty.buffer;

import org.jspecify.annotations.NullMarked;
