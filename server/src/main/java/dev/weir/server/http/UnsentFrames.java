package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Has a connection of HTTP/2 end when there was no memory for one of its frames: its client would
 * wait for that one, and could not read the heads of those behind a head that is missing. The codec
 * ends it with a frame, for which there may be no memory either. Goes next to the codec, on the
 * streams' side.
 */
@ChannelHandler.Sharable
final class UnsentFrames extends ChannelOutboundHandlerAdapter implements ChannelFutureListener {
  static final UnsentFrames HANDLER = new UnsentFrames();

  private UnsentFrames() {}

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ctx.write(message, promise.unvoid()).addListener(this);
  }

  @Override
  public void operationComplete(ChannelFuture written) {
    if (written.cause() instanceof BudgetExceededError) {
      // For the session, which counts it and closes the connection, if the codec has not yet.
      written.channel().pipeline().fireExceptionCaught(written.cause());
    }
  }
}
