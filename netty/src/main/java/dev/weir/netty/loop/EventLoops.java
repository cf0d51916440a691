package dev.weir.netty.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/** Where handlers run. */
public final class EventLoops {
  private EventLoops() {}

  /**
   * Checks that a handler runs on its channel's own event loop, which it is not locked against.
   *
   * @throws IllegalStateException if it was added with another executor
   */
  public static void requireOwn(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    if (channel.isRegistered() && !ctx.executor().equals(channel.eventLoop())) {
      throw new IllegalStateException(
          ctx.name()
              + " runs on its channel's own event loop: add it without an EventExecutorGroup");
    }
  }
}
