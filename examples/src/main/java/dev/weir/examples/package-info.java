/** Weir's memory in services on Netty and on what others build on Netty: one class for each. */
@NullMarked
package dev.weir.examples;

import org.jspecify.annotations.NullMarked;
