package dev.weir.netty.transport;

import dev.weir.netty.refusal.MemoryRefusals;
import dev.weir.netty.write.AbortiveClose;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ServerChannel;
import org.jspecify.annotations.Nullable;

/**
 * Two things that Netty's other transports do by themselves, for a channel of io_uring.
 *
 * <p>It closes the channel when an allocator refuses it a buffer to read with. Netty 4.2.18 takes
 * such a read for one that is under way, and never reads again.
 *
 * <p>It reads no more once a handler has closed or reset the channel. Netty 4.2.18 lets a close
 * wait for a write that is under way. A read that is asked for meanwhile arms a poll which nothing
 * cancels: the kernel keeps the connection open then, until its peer sends or ends it.
 *
 * <p>It is told of a refusal by an exception at the front of the pipeline. So that another is not
 * taken for it, it knows when Netty's transport is at work, and none of the handlers.
 */
final class GuardedReads extends ChannelDuplexHandler {
  private boolean inTransport;
  private boolean closing;

  private GuardedReads() {}

  /** That of a channel, at the front of its pipeline; null for those that read nothing. */
  static @Nullable GuardedReads of(Channel channel) {
    if (channel instanceof ServerChannel) {
      return null;
    }
    ChannelPipeline pipeline = channel.pipeline();
    GuardedReads present = pipeline.get(GuardedReads.class);
    if (present != null) {
      return present;
    }
    GuardedReads added = new GuardedReads();
    pipeline.addFirst(added);
    return added;
  }

  /** Says whether the transport is at work now. */
  void inTransport(boolean isAtWork) {
    inTransport = isAtWork;
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    closing = true;
    ctx.close(promise);
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (closing || AbortiveClose.isReset(ctx.channel())) {
      return;
    }
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
      closing = true;
      // As in Netty's other transports, past all handlers.
      ctx.channel().unsafe().close(ctx.channel().unsafe().voidPromise());
    }
  }
}
