package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;

/** Where a transport would be: fails one write, as one that finds no memory does. */
final class FailingWrites extends ChannelOutboundHandlerAdapter {
  /** How deep Netty's promises tell listeners at once. */
  private static final int MAX_LISTENERS = 8;

  private final int failing;
  private final Throwable failure;
  private int writes;

  /** Fails the write of that number, from 0. */
  FailingWrites(int failing, Throwable failure) {
    this.failing = failing;
    this.failure = failure;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (writes++ == failing) {
      ReferenceCountUtil.release(message);
      promise.tryFailure(failure);
    } else {
      ctx.write(message, promise);
    }
  }

  /**
   * Runs something so deep in a stack of listeners that Netty tells further ones later; in one turn
   * of the event loop, which this kind of channel would else run on at each write.
   */
  static void deepInListeners(EmbeddedChannel channel, Runnable task) {
    channel
        .pipeline()
        .addLast(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                if (message instanceof Runnable now) {
                  now.run();
                  promise.setSuccess();
                } else {
                  ctx.write(message, promise);
                }
              }
            });
    Runnable nested = () -> nest(channel, MAX_LISTENERS, task);
    channel.write(nested);
  }

  private static void nest(Channel channel, int depth, Runnable task) {
    if (depth == 0) {
      task.run();
    } else {
      ChannelPromise promise = channel.newPromise();
      promise.addListener(done -> nest(channel, depth - 1, task));
      promise.setSuccess();
    }
  }
}
