package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** Takes the first message of a kind, and loses it when it is told to. */
final class LosesLater extends ChannelOutboundHandlerAdapter {
  private final Class<?> kind;
  private @Nullable ChannelPromise promiseOfFirst;

  LosesLater(Class<?> kind) {
    this.kind = kind;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (promiseOfFirst == null && kind.isInstance(message)) {
      ReferenceCountUtil.release(message);
      promiseOfFirst = promise;
    } else {
      ctx.write(message, promise);
    }
  }

  void lose() {
    promiseOfFirst.setFailure(new OutOfMemoryError("no room for a part"));
  }
}
