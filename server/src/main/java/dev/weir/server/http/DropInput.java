package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;

/**
 * Reads and drops what a client still sends, up to its end or to a limit, and closes the connection
 * then: closing a socket with unread bytes could take the last answer from it.
 */
final class DropInput extends ChannelInboundHandlerAdapter {
  private final long maxBytes;
  private long droppedBytes;

  DropInput(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    droppedBytes += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (droppedBytes > maxBytes) {
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
}
