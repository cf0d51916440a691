package dev.weir.server.http;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Drops contents that have no bytes and end nothing: what is left of a piece that a compressor has
 * taken in. Over HTTP/2 each would be a frame, and clients give up those who send many that say
 * nothing.
 */
@Sharable
final class NoEmptyFrames extends ChannelOutboundHandlerAdapter {
  static final NoEmptyFrames INSTANCE = new NoEmptyFrames();

  private NoEmptyFrames() {}

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpContent content
        && !(message instanceof LastHttpContent)
        && !(message instanceof HttpMessage)
        && !content.content().isReadable()) {
      content.release();
      promise.trySuccess();
    } else {
      ctx.write(message, promise);
    }
  }
}
