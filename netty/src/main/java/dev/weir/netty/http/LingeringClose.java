package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection in a way that lets the client read the last response. Closing a socket with
 * unread bytes resets the connection, and the reset can overtake the response; so the channel goes
 * on reading, with its input discarded by the caller, until the client closes or a moment has gone.
 * A client that does not take the response either is not waited for much longer.
 */
public final class LingeringClose {
  /** Long enough for a client on a slow line to read one line, short enough to hold no socket. */
  private static final long LINGER_MILLIS = 2_000;

  /** Enough for what was queued before the response, and no socket held by who reads nothing. */
  private static final long WRITE_MILLIS = 10_000;

  private LingeringClose() {}

  /** Writes {@code response}, then closes the channel. Runs on the event loop. */
  public static void after(ChannelHandlerContext ctx, FullHttpResponse response) {
    Future<?> writeLimit = closeLater(ctx, WRITE_MILLIS);
    ctx.writeAndFlush(response)
        .addListener(written -> {
          writeLimit.cancel(false);
          if (written.isSuccess()) {
            closeLater(ctx, LINGER_MILLIS);
          } else {
            ctx.close();
          }
        });
  }

  private static Future<?> closeLater(ChannelHandlerContext ctx, long delayMillis) {
    Future<?> timer =
        ctx.executor().schedule(() -> ctx.close(), delayMillis, TimeUnit.MILLISECONDS);
    ctx.channel().closeFuture().addListener(closed -> timer.cancel(false));
    return timer;
  }
}
