/**
 * Netty's epoll and io_uring, with what the memory of a service needs of them: a channel is read no
 * further than it is asked to be, and what an allocator refuses ends nobody else's connection.
 */
@NullMarked
package dev.weir.netty.transport;

import org.jspecify.annotations.NullMarked;
