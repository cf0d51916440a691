package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.logging.LogLevel;

/**
 * Hears of the frames of one connection when they come and when they go, also of those that the
 * codec keeps to itself: it tells nobody else than its logger.
 */
final class FrameWatch extends Http2FrameLogger {
  private final Http2Session session;
  private final Http2Streams streams;

  FrameWatch(Http2Session session, Http2Streams streams) {
    super(LogLevel.TRACE);
    this.session = session;
    this.streams = streams;
  }

  @Override
  public void logData(
      Direction direction,
      ChannelHandlerContext ctx,
      int streamId,
      ByteBuf data,
      int padding,
      boolean endStream) {
    if (direction == Direction.OUTBOUND) {
      session.sends(streamId, data.readableBytes());
    } else {
      streams.goesOn();
      session.receives(data.readableBytes());
      if (!data.isReadable()) {
        session.controlFrameCame();
      }
    }
  }

  @Override
  public void logHeaders(
      Direction direction,
      ChannelHandlerContext ctx,
      int streamId,
      Http2Headers headers,
      int padding,
      boolean endStream) {
    head(direction, streamId, headers);
  }

  @Override
  public void logHeaders(
      Direction direction,
      ChannelHandlerContext ctx,
      int streamId,
      Http2Headers headers,
      int streamDependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endStream) {
    head(direction, streamId, headers);
  }

  private void head(Direction direction, int streamId, Http2Headers headers) {
    if (direction == Direction.INBOUND) {
      session.requestCame();
      if (headers.method() == null) {
        streams.goesOn(); // Trailers.
      } else {
        streams.begins(streamId);
      }
    } else if (HttpResponseStatus.CONTINUE.codeAsText().contentEquals(headers.status())) {
      // One that waits for it may send nothing before, whatever its window.
      session.opensWindow(streamId, HttpLimits.CHUNK_BYTES);
    }
  }

  private void control(Direction direction) {
    if (direction == Direction.INBOUND) {
      streams.goesOn();
      session.controlFrameCame();
    }
  }

  @Override
  public void logPriority(
      Direction direction,
      ChannelHandlerContext ctx,
      int streamId,
      int streamDependency,
      short weight,
      boolean exclusive) {
    control(direction);
  }

  @Override
  public void logRstStream(
      Direction direction, ChannelHandlerContext ctx, int streamId, long errorCode) {
    control(direction);
  }

  @Override
  public void logSettingsAck(Direction direction, ChannelHandlerContext ctx) {
    control(direction);
  }

  @Override
  public void logSettings(Direction direction, ChannelHandlerContext ctx, Http2Settings settings) {
    control(direction);
  }

  @Override
  public void logPing(Direction direction, ChannelHandlerContext ctx, long data) {
    control(direction);
  }

  @Override
  public void logPingAck(Direction direction, ChannelHandlerContext ctx, long data) {
    control(direction);
  }

  @Override
  public void logGoAway(
      Direction direction,
      ChannelHandlerContext ctx,
      int lastStreamId,
      long errorCode,
      ByteBuf debugData) {
    control(direction);
  }

  @Override
  public void logWindowsUpdate(
      Direction direction, ChannelHandlerContext ctx, int streamId, int windowSizeIncrement) {
    if (direction == Direction.OUTBOUND) {
      session.opensWindow(streamId, windowSizeIncrement);
    }
    control(direction);
  }

  @Override
  public void logUnknownFrame(
      Direction direction,
      ChannelHandlerContext ctx,
      byte frameType,
      int streamId,
      Http2Flags flags,
      ByteBuf data) {
    control(direction);
  }
}
