/**
 * What keeps memory bounded before it is allocated: admission of work by bytes, and channels that
 * are not read from while memory is short.
 */
@NullMarked
package dev.weir.netty.flow;

import org.jspecify.annotations.NullMarked;
