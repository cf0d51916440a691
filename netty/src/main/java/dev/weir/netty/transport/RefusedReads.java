package dev.weir.netty.transport;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ServerChannel;
import org.jspecify.annotations.Nullable;

/**
 * Closes a channel of io_uring when an allocator refuses it a buffer to read with, as Netty's other
 * transports do. Netty 4.2.18 takes such a read for one that is under way, and never reads again.
 *
 * <p>It is told of a refusal by an exception at the front of the pipeline. So that another is not
 * taken for it, it knows when Netty's transport is at work, and none of the handlers.
 */
final class RefusedReads extends ChannelDuplexHandler {
  private boolean inTransport;

  private RefusedReads() {}

  /** That of a channel, at the front of its pipeline; null for those that read nothing. */
  static @Nullable RefusedReads of(Channel channel) {
    if (channel instanceof ServerChannel) {
      return null;
    }
    ChannelPipeline pipeline = channel.pipeline();
    RefusedReads present = pipeline.get(RefusedReads.class);
    if (present != null) {
      return present;
    }
    RefusedReads added = new RefusedReads();
    pipeline.addFirst(added);
    return added;
  }

  /** Says whether the transport is at work now. */
  void inTransport(boolean isAtWork) {
    inTransport = isAtWork;
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    boolean outside = inTransport;
    inTransport = true;
    ctx.read();
    inTransport = outside;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    boolean outside = inTransport;
    inTransport = false;
    ctx.fireChannelRead(message);
    inTransport = outside;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean outside = inTransport;
    inTransport = false;
    ctx.fireChannelReadComplete();
    inTransport = outside;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean isRefusedRead = inTransport && MemoryRefusals.isRefusal(cause);
    ctx.fireExceptionCaught(cause);
    if (isRefusedRead) {
      // As in Netty's other transports, past all handlers.
      ctx.channel().unsafe().close(ctx.channel().unsafe().voidPromise());
    }
  }
}
