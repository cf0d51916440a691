package dev.weir.netty.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/** Where handlers run. */
public final class EventLoops {
  private EventLoops() {}

  /**
   * Checks that a handler runs on its channel's own event loop, which it is not locked against. For
   * {@code handlerAdded}: what that throws has Netty take the handler out again and fire {@code
   * exceptionCaught}, while whoever adds it hears nothing.
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
