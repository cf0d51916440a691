package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.DefaultChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;

/**
 * The bytes of a write that is about to hop to the event loop, in Netty's count until the loop
 * comes to it: so {@code isWritable()} turns false for the thread that gives such writes, also
 * while the loop is busy.
 *
 * <p>Netty counts what is on its way for writes only that it brings itself. So such a one is given
 * just before the task that it stands for: counted as it is submitted, and found to be cancelled by
 * the event loop, so that no handler sees it.
 */
final class BytesOnTheirWay {
  private BytesOnTheirWay() {}

  /**
   * Has {@code channel} count the bytes that {@code message} shows, if it is a buffer or holds one,
   * until its event loop has come to what it was given before; not from that loop.
   */
  static void count(Channel channel, Object message) {
    switch (message) {
      case ByteBuf buffer -> count(channel, buffer);
      case ByteBufHolder holder -> count(channel, holder.content());
      default -> {}
    }
  }

  private static void count(Channel channel, ByteBuf content) {
    // Nothing but the transport is behind the first handler, so it goes to the channel's own loop.
    ChannelHandlerContext first = channel.pipeline().firstContext();
    ChannelOutboundInvoker through = first == null ? channel : first;
    // A frame: streams of HTTP/2 count no other messages by their bytes, all other channels do. Its
    // buffer is somebody else's.
    through.write(
        new DefaultHttp2DataFrame(Unpooled.unreleasableBuffer(content)),
        new CancelledOnLoop(channel));
  }

  /** For whoever submits a write it is valid, for the event loop it was cancelled. */
  private static final class CancelledOnLoop extends DefaultChannelPromise {
    CancelledOnLoop(Channel channel) {
      super(channel);
    }

    @Override
    public boolean isDone() {
      return isCancelled();
    }

    @Override
    public boolean isCancelled() {
      return channel().eventLoop().inEventLoop();
    }
  }
}
