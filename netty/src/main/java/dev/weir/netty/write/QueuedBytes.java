package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;

/**
 * What a channel has queued to be sent, as Netty counts it: messages of the transport's queue, of
 * queues before it that report there (TLS), and of writes on their way from other threads.
 */
final class QueuedBytes {
  /** One of the 31 that handlers may use; Netty's traffic shapers have the first three. */
  private static final int WRITABILITY_INDEX = 30;

  /** With these a stream that has anything queued stops at the next message. */
  private static final WriteBufferWaterMark NOTHING = new WriteBufferWaterMark(1, 1);

  /** With these a stream tells what it has queued, whether it is writable or not. */
  private static final WriteBufferWaterMark ANYTHING =
      new WriteBufferWaterMark(0, Integer.MAX_VALUE);

  private QueuedBytes() {}

  /** Runs on the channel's event loop. */
  static long of(Channel channel) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    if (queue != null) {
      return queue.totalPendingWriteBytes();
    }
    long untilWritable = channel.bytesBeforeWritable();
    if (!channel.isActive() || untilWritable == Long.MAX_VALUE) {
      return 0;
    }
    // A stream of HTTP/2 has no such queue, and tells how far it is from its marks.
    long untilUnwritable = channel.bytesBeforeUnwritable();
    if (untilUnwritable > 0) {
      return Math.max(0, channel.config().getWriteBufferHighWaterMark() + 1L - untilUnwritable);
    }
    return untilWritable > 0
        ? Math.max(0, channel.config().getWriteBufferLowWaterMark() - 1 + untilWritable)
        : outsideOfMarks(channel);
  }

  /**
   * Of a stream that is writable above its marks or unwritable below them: since they were changed,
   * or since its connection is unwritable. A write from another thread that comes just now may
   * leave it writable once more.
   */
  private static long outsideOfMarks(Channel channel) {
    ChannelConfig config = channel.config();
    WriteBufferWaterMark marks = config.getWriteBufferWaterMark();
    config.setWriteBufferWaterMark(ANYTHING);
    long queuedBytes =
        channel.isWritable()
            ? ANYTHING.high() + 1L - channel.bytesBeforeUnwritable()
            : channel.bytesBeforeWritable() - 1;
    config.setWriteBufferWaterMark(marks);
    return Math.max(0, queuedBytes);
  }

  /** The same without what was sent of the message that is on its way. */
  static long unsent(Channel channel) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    return queue == null
        ? of(channel)
        : Math.max(0, queue.totalPendingWriteBytes() - queue.currentProgress());
  }

  /**
   * Makes {@code isWritable()} false, of a stream of HTTP/2 from its next message on, until it has
   * nothing queued; or lifts that.
   *
   * @param marks those of the channel while it is not stopped
   */
  static void setWritable(Channel channel, boolean writable, WriteBufferWaterMark marks) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    if (queue != null) {
      queue.setUserDefinedWritability(WRITABILITY_INDEX, writable);
    } else {
      channel.config().setWriteBufferWaterMark(writable ? marks : NOTHING);
    }
  }
}
