/** Copies of containers beside those of others: a C sendfile pair, Netty's file regions, nginx. */
@NullMarked
package dev.weir.lab.replicate;

import org.jspecify.annotations.NullMarked;
