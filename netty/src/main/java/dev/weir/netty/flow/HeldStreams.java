package dev.weir.netty.flow;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AttributeKey;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one HTTP/2 connection that are kept from reading. Nothing more comes on a stream
 * that the codec has closed, because its client has reset it, both sides have ended it, or the
 * connection has ended: it is kept from reading no longer. Netty keeps what such a stream has
 * queued until that is read, though the client may open another in its place. On the connection's
 * event loop.
 *
 * <p>A stream of ours that has not been opened has no number, and is read from when all its holds
 * have ended.
 */
final class HeldStreams extends Http2ConnectionAdapter {
  private static final AttributeKey<HeldStreams> KEY =
      AttributeKey.valueOf(HeldStreams.class, "streams");

  private final IntObjectMap<ReadHolds> held = new IntObjectHashMap<>();

  HeldStreams() {}

  /** Makes them those of a connection. */
  void belongTo(Channel connection) {
    connection.attr(KEY).set(this);
  }

  /** Whether a channel is a stream that the codec has closed. */
  static boolean isOver(Channel channel) {
    return channel instanceof Http2StreamChannel stream
        && stream.stream().state() == Http2Stream.State.CLOSED;
  }

  /** Notes that a channel is held, if it is a stream. */
  static void begin(Channel channel, ReadHolds holds) {
    HeldStreams streams = of(channel);
    if (streams != null) {
      int id = ((Http2StreamChannel) channel).stream().id();
      if (id > 0) {
        streams.held.put(id, holds);
      }
    }
  }

  /** Notes that a channel is held no longer, if it is a stream. */
  static void end(Channel channel) {
    HeldStreams streams = of(channel);
    if (streams != null) {
      streams.held.remove(((Http2StreamChannel) channel).stream().id());
    }
  }

  /** How many streams of a connection are held. */
  static int countOf(Channel connection) {
    HeldStreams streams = connection.attr(KEY).get();
    return streams == null ? 0 : streams.held.size();
  }

  private static @Nullable HeldStreams of(Channel channel) {
    return channel instanceof Http2StreamChannel ? channel.parent().attr(KEY).get() : null;
  }

  /**
   * The codec itself has heard before: Netty reads what is queued then, whatever auto-read says.
   */
  @Override
  public void onStreamClosed(Http2Stream stream) {
    ReadHolds holds = held.get(stream.id());
    if (holds != null) {
      holds.releaseAll();
    }
  }
}
