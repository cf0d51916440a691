package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * What a channel has queued to be sent, as Netty counts it: messages of the transport's queue, of
 * queues before it that report there (TLS), and of writes on their way from other threads.
 */
final class QueuedBytes {
  /** One of the 31 that handlers may use; Netty's traffic shapers have the first three. */
  private static final int WRITABILITY_INDEX = 30;

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
    return untilUnwritable > 0
        ? Math.max(0, channel.config().getWriteBufferHighWaterMark() + 1 - untilUnwritable)
        : Math.max(0, channel.config().getWriteBufferLowWaterMark() - 1 + untilWritable);
  }

  /** The same without what was sent of the message that is on its way. */
  static long unsent(Channel channel) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    return queue == null
        ? of(channel)
        : Math.max(0, queue.totalPendingWriteBytes() - queue.currentProgress());
  }

  /** Makes {@code isWritable()} false or lifts that, where the transport can. */
  static void setWritable(Channel channel, boolean writable) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    if (queue != null) {
      queue.setUserDefinedWritability(WRITABILITY_INDEX, writable);
    }
  }
}
