package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** Loses messages of a kind, but the last of a response. */
class Loses extends ChannelOutboundHandlerAdapter {
  private final Class<?> kind;

  Loses(Class<?> kind) {
    this.kind = kind;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean isHead = message instanceof HttpResponse;
    if (kind.isInstance(message) && (isHead || !(message instanceof LastHttpContent))) {
      lose(ctx);
      ReferenceCountUtil.release(message);
      promise.setFailure(new OutOfMemoryError("no room for a part"));
    } else {
      ctx.write(message, promise);
    }
  }

  /** Called within the write. */
  void lose(ChannelHandlerContext ctx) {}
}
