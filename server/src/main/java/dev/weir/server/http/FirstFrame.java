package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Knows whether there was memory for the first frame of a connection of HTTP/2. The codec closes a
 * connection whose settings are not sent, and tells nobody why. Goes in front of it.
 */
final class FirstFrame extends ChannelOutboundHandlerAdapter {
  private boolean written;

  /** Whether the codec has had memory to make it. */
  boolean isWritten() {
    return written;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ChannelPromise heard = promise;
    if (!written) {
      written = true;
      heard = promise.unvoid();
      heard.addListener(sent -> {
        if (sent.cause() instanceof BudgetExceededError refused) {
          ctx.fireExceptionCaught(refused);
        }
      });
    }
    ctx.write(message, heard);
  }
}
