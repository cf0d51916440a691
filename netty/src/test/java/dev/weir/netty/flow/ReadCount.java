package dev.weir.netty.flow;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;

/** Counts the reads of a socket, and makes none. */
final class ReadCount extends ChannelOutboundHandlerAdapter {
  int count;

  @Override
  public void read(ChannelHandlerContext ctx) {
    count++;
  }
}
