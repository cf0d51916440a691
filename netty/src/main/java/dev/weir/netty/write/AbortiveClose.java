package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AttributeKey;
import java.util.function.BooleanSupplier;

/**
 * Ends a channel in the middle of what it sends, so that the peer knows.
 *
 * <p>A connection is closed. Where a peer would conclude from its end that it has got all, it is
 * reset instead, past all handlers: without the end that goes with a close, by TCP or by TLS. What
 * the peer has not got yet is lost then.
 *
 * <p>A stream of HTTP/2 is reset. Netty does so only while one of its sides has not ended: what
 * waits in front of an end that has been written, for a window that its peer does not open, would
 * stay with the connection for as long as that lasts, and its memory too.
 */
public final class AbortiveClose {
  private static final AttributeKey<BooleanSupplier> SEEMS_WHOLE =
      AttributeKey.valueOf(AbortiveClose.class, "seemsWhole");

  private static final AttributeKey<Boolean> RESET =
      AttributeKey.valueOf(AbortiveClose.class, "reset");

  private AbortiveClose() {}

  /**
   * From now on {@code seemsWhole} tells, on the channel's event loop, whether its end would seem
   * that of what is being sent. It is not asked about streams.
   */
  public static void judgeBy(Channel channel, BooleanSupplier seemsWhole) {
    channel.attr(SEEMS_WHOLE).set(seemsWhole);
  }

  /** Not by {@code seemsWhole} any more, unless another has taken its place already. */
  public static void judgeNoMoreBy(Channel channel, BooleanSupplier seemsWhole) {
    channel.attr(SEEMS_WHOLE).compareAndSet(seemsWhole, null);
  }

  /**
   * Ends the channel of {@code ctx}: a close goes from there on; what resets goes past all
   * handlers, of which one may have the end of a stream in a queue. On the channel's event loop.
   */
  public static void close(ChannelHandlerContext ctx) {
    close(ctx, ctx.newPromise());
  }

  /** The same; {@code promise} hears of the close. */
  public static void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    (reset(ctx) ? first(ctx) : ctx).close(promise);
  }

  /** Whether a connection has been reset, past all handlers. */
  public static boolean isReset(Channel channel) {
    return channel.hasAttr(RESET);
  }

  /** Whether a close that passes no handler resets the connection now. */
  private static boolean reset(ChannelHandlerContext ctx) {
    if (ctx.channel() instanceof Http2StreamChannel stream) {
      if (stream.isActive()) {
        first(ctx).writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
      }
      return false;
    }
    BooleanSupplier seemsWhole = ctx.channel().attr(SEEMS_WHOLE).get();
    if (seemsWhole == null || !seemsWhole.getAsBoolean()) {
      return false;
    }
    ctx.channel().attr(RESET).set(true);
    try {
      ctx.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException refused) {
      // It is closed already, for instance.
    }
    return true;
  }

  private static ChannelHandlerContext first(ChannelHandlerContext ctx) {
    ChannelHandlerContext first = ctx.pipeline().firstContext();
    return first == null ? ctx : first;
  }
}
