package dev.weir.netty.flow;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AttributeKey;

/**
 * The streams of one HTTP/2 connection, of those that its peer opens, that are kept from reading.
 * Nothing more comes on a stream that the codec has closed, because both sides have ended it or the
 * connection has ended: it is kept from reading no longer. Netty keeps what such a stream has
 * queued until that is read, though the peer may open another in its place. Of a reset its holds
 * have heard before ({@link ReadHolds#heard}). On the connection's event loop.
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

  /**
   * A channel is about to be held; if it is a stream, its holds hear when it is over.
   *
   * @return {@code false} if it is over already
   */
  static boolean begin(Channel channel, ReadHolds holds) {
    if (!(channel instanceof Http2StreamChannel child)) {
      return true;
    }
    HeldStreams streams = child.parent().attr(KEY).get();
    return streams == null || streams.note(child.stream(), holds);
  }

  private boolean note(Http2FrameStream child, ReadHolds holds) {
    if (!connection.remote().isValidStreamId(child.id())) {
      return true; // One of ours.
    }
    Http2Stream stream = connection.stream(child.id());
    if (stream == null || stream.state() == Http2Stream.State.CLOSED) {
      return false;
    }
    stream.setProperty(holdsKey, holds);
    return true;
  }

  /** The codec itself has heard before: whoever reads now gets all that is queued. */
  @Override
  public void onStreamClosed(Http2Stream stream) {
    ReadHolds holds = stream.getProperty(holdsKey);
    if (holds != null) {
      holds.endForGood();
    }
  }
}
