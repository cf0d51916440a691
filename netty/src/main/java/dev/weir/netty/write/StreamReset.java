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
final class StreamReset {
  private StreamReset() {}

  /** On the channel's event loop. */
  static void close(ChannelHandlerContext ctx) {
    try {
      if (ctx.channel() instanceof Http2StreamChannel stream && stream.isActive()) {
        ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
      }
    } finally {
      ctx.close();
    }
  }
}
