package dev.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;

/** Counts the reads that reach the transport. */
final class CountReads extends ChannelOutboundHandlerAdapter {
  int count;

  @Override
  public void read(ChannelHandlerContext ctx) {
    count++;
    ctx.read();
  }
}
