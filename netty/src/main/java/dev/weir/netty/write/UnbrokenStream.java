package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import java.nio.channels.ClosedChannelException;

/**
 * Sees to it that no peer gets bytes from behind a hole: when a write of bytes has failed, the
 * channel is closed at once, and the failure goes through its pipeline as an exception. Goes first
 * in a pipeline with an {@code SslHandler}, which splits what it is given into records, and tells
 * nobody of one that the transport found no memory for. One instance serves all channels.
 */
@ChannelHandler.Sharable
public final class UnbrokenStream extends ChannelOutboundHandlerAdapter
    implements ChannelFutureListener {
  /** The handler. */
  public static final UnbrokenStream HANDLER = new UnbrokenStream();

  private UnbrokenStream() {}

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof ByteBuf) {
      ctx.write(message, promise.unvoid()).addListener(this);
    } else {
      ctx.write(message, promise);
    }
  }

  @Override
  public void operationComplete(ChannelFuture written) {
    Channel channel = written.channel();
    ChannelHandlerContext ctx = channel.pipeline().context(this);
    if (ctx != null && breaks(written) && channel.isOpen()) {
      // From here, not from the end of the pipeline: nothing more is to be written.
      ctx.close();
      channel.pipeline().fireExceptionCaught(written.cause());
    }
  }

  /** Whether something is missing, and more could follow: not where the output has ended. */
  static boolean breaks(ChannelFuture written) {
    return !written.isSuccess()
        && !written.isCancelled()
        && !(written.cause() instanceof ClosedChannelException)
        && !(written.cause() instanceof ChannelOutputShutdownException);
  }
}
