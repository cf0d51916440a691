package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Answers 503 to a connection above the limit, and ends it. What the client sends meanwhile is read
 * and dropped for a moment: closing a socket with unread bytes could take the answer from it.
 */
final class TurnAway extends ChannelInboundHandlerAdapter {
  private long droppedBytes;

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    FixedAnswer.TOO_MANY_CLIENTS
        .send(ctx.channel())
        .addListener(written -> {
          if (written.isSuccess() && ctx.channel() instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
            ctx.read();
          } else {
            ctx.close();
          }
        });
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    droppedBytes += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (droppedBytes > HttpLimits.MAX_DISCARDED_BYTES) {
      ctx.close();
    } else {
      ctx.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      ctx.close();
    }
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
