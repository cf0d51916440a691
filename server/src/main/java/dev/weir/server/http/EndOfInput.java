package dev.weir.server.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * Keeps reads from a socket whose client has ended its side: there is nothing to come, and epoll,
 * which no longer watches such a socket for input, would close it for the asking.
 */
final class EndOfInput extends ChannelDuplexHandler {
  private boolean ended;

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ended |= event instanceof ChannelInputShutdownEvent;
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!ended) {
      ctx.read();
    }
  }
}
