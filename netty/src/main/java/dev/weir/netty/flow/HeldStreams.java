package dev.weir.netty.flow;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AttributeKey;

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

  private final Http2Connection connection;
  private final Http2Connection.PropertyKey holdsKey;

  /** Of a connection whose codec listens already. */
  HeldStreams(Http2Connection connection) {
    this.connection = connection;
    this.holdsKey = connection.newKey();
  }

  /** Tells which channel the connection has. */
  void belongTo(Channel channel) {
    channel.attr(KEY).set(this);
  }

  /** Whether a channel is a stream that the codec has closed. A guess on other threads. */
  static boolean isOver(Channel channel) {
    return channel instanceof Http2StreamChannel stream
        && stream.stream().state() == Http2Stream.State.CLOSED;
  }

  /** Notes that a channel is about to be held, if it is a stream. */
  static void begin(Channel channel, ReadHolds holds) {
    if (channel instanceof Http2StreamChannel stream) {
      HeldStreams streams = stream.parent().attr(KEY).get();
      if (streams != null) {
        streams.note(stream.stream().id(), holds);
      }
    }
  }

  private void note(int id, ReadHolds holds) {
    Http2Stream stream = connection.stream(id);
    if (stream != null) {
      stream.setProperty(holdsKey, holds);
    }
  }

  /**
   * The codec itself has heard before: Netty reads what is queued then, whatever auto-read says.
   */
  @Override
  public void onStreamClosed(Http2Stream stream) {
    ReadHolds holds = stream.getProperty(holdsKey);
    if (holds != null) {
      holds.over();
    }
  }
}
