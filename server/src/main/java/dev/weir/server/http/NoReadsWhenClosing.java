package dev.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Keeps a connection from being read once it is to be closed: while bytes are on their way,
 * io_uring would wait for more input all the same, and keep the socket open until the client says
 * something.
 */
final class NoReadsWhenClosing extends ChannelOutboundHandlerAdapter {
  private boolean closing;

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!closing) {
      ctx.read();
    }
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    closing = true;
    ctx.close(promise);
  }
}
