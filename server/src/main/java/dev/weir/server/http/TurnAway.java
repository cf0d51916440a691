package dev.weir.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/** Answers 503 to a connection above the limit, and ends it. */
final class TurnAway extends ChannelInboundHandlerAdapter {
  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    FixedAnswer.TOO_MANY_CLIENTS
        .send(ctx.channel())
        .addListener(written -> {
          if (!written.isSuccess()) {
            ctx.close();
          } else if (TlsSession.endOutput(ctx.channel(), HttpLimits.MAX_DISCARDED_BYTES)) {
            ctx.pipeline()
                .addBefore(ctx.name(), null, new DropInput(HttpLimits.MAX_DISCARDED_BYTES));
          }
        });
    // With TLS, the handshake comes first.
    ctx.read();
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
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
  static void atOnce(Channel channel) {
    FixedAnswer.TOO_MANY_CLIENTS.send(channel).addListener(ChannelFutureListener.CLOSE);
  }
}
