package dev.weir.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;

/** Counts the reads that reach the transport. */
public final class CountReads extends ChannelOutboundHandlerAdapter {
  public int count;

  @Override
  public void read(ChannelHandlerContext ctx) {
    count++;
    ctx.read();
  }
}
