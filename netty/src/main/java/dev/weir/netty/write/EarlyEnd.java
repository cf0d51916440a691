package dev.weir.netty.write;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;

/**
 * Ends a channel in the middle of what it sends. Netty resets a stream of HTTP/2 that is closed
 * only while one of its sides has not ended: what waits in front of an end that has been written,
 * for a window that its peer does not open, would stay with the connection for as long as that
 * lasts, and its memory too.
 */
public final class EarlyEnd {
  private EarlyEnd() {}

  /**
   * Closes the channel of {@code ctx}, from there on; what resets a stream goes past all handlers,
   * of which one may have the end of the stream in a queue. On the channel's event loop.
   */
  public static void close(ChannelHandlerContext ctx) {
    try {
      if (ctx.channel() instanceof Http2StreamChannel stream && stream.isActive()) {
        ChannelHandlerContext first = stream.pipeline().firstContext();
        (first == null ? ctx : first).writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
      }
    } finally {
      ctx.close();
    }
  }

  /**
   * The same, and a connection of TCP is reset as well, past all handlers: without the end that
   * goes with a close, by TCP or by TLS, of which the peer would conclude that it has got all. What
   * it has not got yet is lost.
   */
  public static void reset(ChannelHandlerContext ctx) {
    if (ctx.channel() instanceof Http2StreamChannel) {
      close(ctx);
      return;
    }
    try {
      ctx.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException closed) {
      // There is nothing to reset any more.
    } finally {
      ChannelHandlerContext first = ctx.pipeline().firstContext();
      (first == null ? ctx : first).close();
    }
  }
}
