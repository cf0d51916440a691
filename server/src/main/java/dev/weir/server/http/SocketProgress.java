package dev.weir.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Tells whether a connection's socket has taken bytes, whole messages or not. What is added behind
 * them does not count. For the connection's event loop.
 */
final class SocketProgress {
  private int message;
  private long bytesOfIt;

  /** Whether it has since this was asked last. */
  boolean hasMoved(Channel connection) {
    ChannelOutboundBuffer queue = connection.unsafe().outboundBuffer();
    Object first = queue == null ? null : queue.current();
    // Another with the same hash is taken for the same: it is seen the next time.
    int messageNow = System.identityHashCode(first);
    long bytesNow = first == null ? 0 : queue.currentProgress();
    boolean moved = messageNow != message || bytesNow != bytesOfIt;
    message = messageNow;
    bytesOfIt = bytesNow;
    return moved;
  }
}
