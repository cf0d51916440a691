package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.logging.LogLevel;

/**
 * Hears of the frames of one connection when they come and when they go, also of those that the
 * codec keeps to itself: it tells nobody else than its logger.
 */
final class FrameWatch extends Http2FrameLogger {
  private final Http2Session session;

  FrameWatch(Http2Session session) {
    super(LogLevel.TRACE);
    this.session = session;
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
    }
  }
}
