package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.DefaultChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of writes that are about to hop to a channel's event loop, in Netty's count until the
 * loop comes to them: so {@code isWritable()} turns false for the thread that gives such writes,
 * also while the loop is busy. Thread-safe.
 *
 * <p>Netty counts what is on its way for writes only that it brings itself. So such a one is given
 * just before the task that it stands for: counted as it is submitted, and found to be cancelled by
 * the event loop, so that no handler sees it.
 */
final class BytesOnTheirWay {
  private static final AttributeKey<BytesOnTheirWay> KEY =
      AttributeKey.valueOf(BytesOnTheirWay.class, "bytes");

  private final AtomicLong bytes = new AtomicLong();

  private BytesOnTheirWay() {}

  /** Those of a channel. */
  static BytesOnTheirWay of(Channel channel) {
    Attribute<BytesOnTheirWay> attribute = channel.attr(KEY);
    BytesOnTheirWay known = attribute.get();
    if (known != null) {
      return known;
    }
    BytesOnTheirWay fresh = new BytesOnTheirWay();
    BytesOnTheirWay other = attribute.setIfAbsent(fresh);
    return other == null ? fresh : other;
  }

  /**
   * How many there are: what comes behind a message that the loop is at, and is in Netty's count as
   * if it came before. Without what Netty adds for each task.
   */
  long bytes() {
    return bytes.get();
  }

  /**
   * Has {@code channel} count the bytes that {@code message} shows, if it is a buffer or holds one,
   * until its event loop has come to what it was given before; not from that loop.
   *
   * @return how many, for {@link #arrived}
   */
  long count(Channel channel, Object message) {
    ByteBuf content = contentOf(message);
    if (content == null) {
      return 0;
    }
    int counted = content.readableBytes();
    bytes.addAndGet(counted);
    boolean done = false;
    try {
      count(channel, content);
      done = true;
      return counted;
    } finally {
      if (!done) {
        arrived(counted);
      }
    }
  }

  /** The task that so many bytes were counted for runs, or will never run. */
  void arrived(long counted) {
    bytes.addAndGet(-counted);
  }

  private static @Nullable ByteBuf contentOf(Object message) {
    return switch (message) {
      case ByteBuf buffer -> buffer;
      case ByteBufHolder holder -> holder.content();
      default -> null;
    };
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
