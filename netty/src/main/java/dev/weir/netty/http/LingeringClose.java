package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection in a way that lets the client read the last response. Closing a socket with
 * unread bytes resets the connection, and the reset can overtake the response; so the channel goes
 * on reading, with its input discarded by the caller, until the client ends its side or a moment
 * has gone. A client that does not take the response either is not waited for much longer.
 */
public final class LingeringClose {
  /** Long enough for a client on a slow line to read one line, short enough to hold no socket. */
  private static final long LINGER_MILLIS = 2_000;

  /** Enough for what was queued before the response, and no socket held by who reads nothing. */
  private static final long WRITE_MILLIS = 10_000;

  private LingeringClose() {}

  /**
   * Writes {@code response}, then closes the channel; at once, and without writing, where {@code
   * ctx} has left its pipeline, as all do when their channel ends. Runs on the event loop.
   */
  public static void after(ChannelHandlerContext ctx, FullHttpResponse response) {
    if (ctx.isRemoved()) {
      response.release();
      ctx.close();
      return;
    }
    Future<?> writeLimit = closeLater(ctx, WRITE_MILLIS);
    InputEnd inputEnd = new InputEnd();
    ctx.pipeline().addBefore(ctx.name(), /* name= */ null, inputEnd);
    ctx.writeAndFlush(response)
        .addListener(written -> {
          writeLimit.cancel(false);
          if (written.isSuccess() && !inputEnd.hasCome(ctx)) {
            inputEnd.closes = true;
            closeLater(ctx, LINGER_MILLIS);
          } else {
            ctx.close();
          }
        });
  }

  /** Where a client may end its side alone, its channel does not close with that by itself. */
  private static final class InputEnd extends ChannelInboundHandlerAdapter {
    private boolean closes;
    private boolean come;

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof ChannelInputShutdownEvent) {
        come = true;
        if (closes) {
          ctx.close();
        }
      }
      ctx.fireUserEventTriggered(event);
    }

    boolean hasCome(ChannelHandlerContext ctx) {
      return come || (ctx.channel() instanceof DuplexChannel duplex && duplex.isInputShutdown());
    }
  }

  private static Future<?> closeLater(ChannelHandlerContext ctx, long delayMillis) {
    Future<?> timer =
        ctx.executor().schedule(() -> ctx.close(), delayMillis, TimeUnit.MILLISECONDS);
    ctx.channel().closeFuture().addListener(closed -> timer.cancel(false));
    return timer;
  }
}
