package dev.weir.netty.flow;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ResetFrame;

/** Streams of HTTP/2 that their clients have reset while they are kept from reading. */
public final class ResetStreams {

  private ResetStreams() {}

  /**
   * Closes such a stream, and what it has queued with it. Netty keeps that until the stream is
   * read, though the client may open another in its place: what a connection has queued would be
   * bounded by how often a client may reset alone. On the channel's event loop; not before its
   * codec has counted the reset, so that none is sent back.
   *
   * @param event that a handler of the stream's pipeline has heard of
   */
  public static void endIfHeld(ChannelHandlerContext ctx, Object event) {
    if (!(event instanceof Http2ResetFrame) || !ReadHolds.of(ctx.channel()).held()) {
      return;
    }
    try {
      ctx.executor().execute(ctx.channel()::close);
    } catch (Throwable endedOrNoHeap) {
      // It closes by itself once it has been read.
    }
  }
}
