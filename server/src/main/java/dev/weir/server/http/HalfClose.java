package dev.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.TimeUnit;

/**
 * Closing a socket with unread bytes resets it, and may take the last answer from the client. So
 * this side ends first, and the connection is closed when the client has ended as well, or soon.
 */
final class HalfClose {
  /** What is read and dropped of a client that goes on to send. */
  static final long MAX_DROPPED_BYTES = HttpLimits.MAX_DISCARDED_BYTES * 64;

  private HalfClose() {}

  /**
   * Ends this side of a connection in whose output nothing waits.
   *
   * @return whether the caller has to read, and to close the connection when its client has ended
   */
  static boolean begin(ChannelHandlerContext ctx) {
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
    return TlsSession.endOutput(ctx.channel(), MAX_DROPPED_BYTES);
  }
}
