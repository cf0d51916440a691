package dev.weir.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/** Answers 503 to a connection above the limit, or what HTTP/2 has for it, and ends it. */
final class TurnAway extends ChannelInboundHandlerAdapter {
  private final FixedAnswer.OfEither answer;

  TurnAway(FixedAnswer.OfEither answer) {
    this.answer = answer;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      send(ctx, answer.http1());
    } else {
      // What it looks like is agreed on in the handshake.
      tls.handshakeFuture()
          .addListener(shaken -> {
            if (shaken.isSuccess()) {
              send(ctx, answer.over(tls.applicationProtocol()));
            }
          });
    }
    ctx.read();
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void send(ChannelHandlerContext ctx, FixedAnswer answer) {
    answer
        .send(ctx.channel())
        .addListener(written -> {
          if (!written.isSuccess()) {
            ctx.close();
          } else if (TlsSession.endOutput(ctx.channel(), HttpLimits.MAX_DISCARDED_BYTES)) {
            ctx.pipeline()
                .addBefore(ctx.name(), null, new DropInput(HttpLimits.MAX_DISCARDED_BYTES));
          }
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  /** Turns a connection away without waiting for it: there are too many of those as well. */
  static void atOnce(Channel channel, FixedAnswer.OfEither answer) {
    answer.http1().send(channel).addListener(ChannelFutureListener.CLOSE);
  }
}
