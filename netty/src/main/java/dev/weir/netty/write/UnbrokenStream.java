package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import java.nio.channels.ClosedChannelException;

/**
 * Sees to it that no peer gets bytes from behind a hole: when a write has failed, the channel is
 * closed at once, and the failure goes through its pipeline as an exception. A channel that is
 * closed already, or whose output is, has no hole. One instance serves all channels.
 *
 * <p>{@link #HANDLER} goes first in a pipeline with an {@code SslHandler}, which splits what it is
 * given into records, and tells nobody of one that the transport found no memory for. {@link
 * #MESSAGES} goes behind an encoder, next to the application: a message that could not be encoded
 * is missing just as well, and no handler in front of the encoder hears of it.
 */
@ChannelHandler.Sharable
public final class UnbrokenStream extends ChannelOutboundHandlerAdapter
    implements ChannelFutureListener {
  /** Closes when bytes could not be written; other messages may fail. */
  public static final UnbrokenStream HANDLER = new UnbrokenStream(/* bytesOnly= */ true);

  /** Closes when any message could not be written. */
  public static final UnbrokenStream MESSAGES = new UnbrokenStream(/* bytesOnly= */ false);

  private final boolean bytesOnly;

  private UnbrokenStream(boolean bytesOnly) {
    this.bytesOnly = bytesOnly;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (bytesOnly && !(message instanceof ByteBuf)) {
      ctx.write(message, promise);
      return;
    }
    ChannelFuture written = ctx.write(message, promise.unvoid());
    // A listener would not be told at once deep in a stack of listeners, and bytes would follow.
    if (written.isDone()) {
      operationComplete(written);
    } else {
      written.addListener(this);
    }
  }

  @Override
  public void operationComplete(ChannelFuture written) {
    if (!breaks(written)) {
      return;
    }
    ChannelHandlerContext ctx = written.channel().pipeline().context(this);
    if (ctx != null) {
      close(ctx, written.cause());
    }
  }

  private static void close(ChannelHandlerContext ctx, Throwable cause) {
    if (ctx.channel().isOpen()) {
      // From here, not from the end of the pipeline: nothing more is to be written.
      AbortiveClose.close(ctx);
      ctx.pipeline().fireExceptionCaught(cause);
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
