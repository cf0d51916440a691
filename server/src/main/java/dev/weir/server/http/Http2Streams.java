package dev.weir.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * The streams of one connection of HTTP/2, as Netty's codec has them, and what comes for those that
 * there are no more: their clients had sent it before they heard of the end, and it is ignored (RFC
 * 9113, section 5.1), but counted. Netty resets such a stream again for each frame, and ends the
 * connection where there are many.
 *
 * <p>There never were some of them: those that were refused for their number, or for headers that
 * break a rule. Netty takes what follows on one of those for frames of a stream that nobody has
 * begun, which end the connection with all others.
 */
final class Http2Streams extends DefaultHttp2Connection {
  private final Http2Session session;
  private int lastRefused;

  /** Of the request whose head is being read; 0 while it is another frame. */
  private int beginning;

  Http2Streams(Http2Session session) {
    super(/* server= */ true);
    this.session = session;
  }

  /** The head of a request comes. */
  void begins(int id) {
    beginning = id;
  }

  /** Another frame comes. */
  void goesOn() {
    beginning = 0;
  }

  @Override
  public boolean streamMayHaveExisted(int id) {
    return super.streamMayHaveExisted(id)
        || (isOfClient(id) && id <= lastRefused && id != beginning);
  }

  private static boolean isOfClient(int id) {
    return (id & 1) != 0;
  }

  /** What makes the codec of these streams. */
  Http2FrameCodecBuilder codec() {
    return new Builder();
  }

  private final class Builder extends Http2FrameCodecBuilder {
    Builder() {
      connection(Http2Streams.this);
    }

    @Override
    protected Http2FrameCodec build(
        Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
      return super.build(decoder, new Resets(encoder), settings);
    }
  }

  private final class Resets extends DecoratingHttp2ConnectionEncoder {
    Resets(Http2ConnectionEncoder encoder) {
      super(encoder);
    }

    @Override
    public ChannelFuture writeRstStream(
        ChannelHandlerContext ctx, int id, long error, ChannelPromise promise) {
      Http2Stream stream = stream(id);
      if (stream != null && stream.state() == Http2Stream.State.CLOSED) {
        // By its client, which has reset it amid an answer, say: nobody waits for this.
        return promise.setSuccess();
      }
      if (stream == null && isOfClient(id)) {
        if (error == Http2Error.STREAM_CLOSED.code() && id != beginning) {
          session.controlFrameCame();
          return promise.setSuccess();
        }
        lastRefused = Math.max(lastRefused, id);
      }
      return super.writeRstStream(ctx, id, error, promise);
    }
  }
}
