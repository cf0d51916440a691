/**
 * Copies of containers beside those of others: a C sendfile pair, Netty's file regions, nginx,
 * gRPC; and {@code lab run replication}, into a receiver that is slow.
 */
@NullMarked
package dev.weir.lab.replicate;

import org.jspecify.annotations.NullMarked;
