package dev.weir.netty.write;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;

/**
 * Closes a channel, be it a stream of HTTP/2 whose peer opens no window. Netty resets a stream that
 * is closed only while one of its sides has not ended: what waits in front of an end that has been
 * written, and its memory, would stay with the connection for as long as that lasts.
 */
public final class StreamReset {
  private StreamReset() {}

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
}
