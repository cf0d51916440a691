package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTasks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.CoalescingBufferQueue;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of writes that are about to hop to a channel's event loop, in Netty's count until the
 * loop comes to them: so {@code isWritable()} turns false for the thread that gives such writes,
 * also while the loop is busy. Thread-safe.
 *
 * <p>Netty lets nobody but its queues into that count. So each write has such a queue for the
 * length of its way, in any thread, with buffers in it that are there for their lengths alone.
 */
final class BytesOnTheirWay {
  private static final AttributeKey<BytesOnTheirWay> KEY =
      AttributeKey.valueOf(BytesOnTheirWay.class, "bytes");

  /** As long as what Netty counts for a task by default, beside what its message comes to. */
  private static final ByteBuf TASK =
      Unpooled.unreleasableBuffer(Unpooled.buffer(32).writeZero(32));

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
   * if it came before.
   */
  long bytes() {
    return bytes.get();
  }

  /** Those of one write, of which nothing is counted yet. Of one thread at a time. */
  static final class OfOneWrite {
    private final Channel channel;
    private final BytesOnTheirWay all;
    private final CoalescingBufferQueue counted;

    private long bytes;

    /** Whether handlers have not heard that writability changed, for want of room for the task. */
    private boolean untold;

    OfOneWrite(Channel channel) {
      this.channel = channel;
      this.all = of(channel);
      this.counted =
          new CoalescingBufferQueue(channel, /* initSize= */ 2, /* updateWritability= */ true);
    }

    /**
     * Counts the bytes that a part of the message shows, if it is a buffer or holds one, and what
     * its task takes.
     *
     * @throws RuntimeException or an error, as the event loop does if it takes no task: {@link
     *     #arrived} is to follow all the same
     */
    void count(Object part) {
      if (counted.isEmpty()) {
        add(TASK);
      }
      ByteBuf content = contentOf(part);
      // More than that is in no queue of Netty's.
      if (content != null
          && content.readableBytes() <= Integer.MAX_VALUE - counted.readableBytes()) {
        // Its indices may move on the way.
        add(content.duplicate());
      }
    }

    private void add(ByteBuf length) {
      int more = length.readableBytes();
      all.bytes.addAndGet(more);
      bytes += more;
      try {
        counted.add(length);
      } catch (Throwable noTask) {
        untold = true;
        throw noTask;
      }
    }

    /**
     * The event loop has come to the write, or never will. Needs no Java heap on that loop. {@link
     * #tellIfUntold} is to follow, behind the write: handlers that hear of room write too.
     */
    void arrived() {
      while (!counted.isEmpty()) {
        try {
          counted.removeFirst(channel.voidPromise());
        } catch (Throwable noTask) {
          untold = true;
        }
      }
      all.bytes.addAndGet(-bytes);
      bytes = 0;
    }

    /** Tells handlers that writability has changed, where Netty could not. */
    void tellIfUntold() {
      if (untold) {
        untold = false;
        tell();
      }
    }

    /** Netty's own task for that was refused, when the count had changed. */
    private void tell() {
      ChannelPipeline pipeline = channel.pipeline();
      if (channel.eventLoop().inEventLoop()) {
        pipeline.fireChannelWritabilityChanged();
      } else {
        LoopTasks.bring(channel.eventLoop(), pipeline::fireChannelWritabilityChanged);
      }
    }

    private static @Nullable ByteBuf contentOf(Object part) {
      return switch (part) {
        case ByteBuf buffer -> buffer;
        case ByteBufHolder holder -> holder.content();
        default -> null;
      };
    }
  }
}
