package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Hands on one {@link Http2DataFrame} of a stream of HTTP/2 for each {@link #request()}. The head
 * is handed on when it comes. What a client sends ahead is copied into one buffer, and its part of
 * the window is returned when the next frame is requested.
 *
 * <p>The last frame has {@code END_STREAM}, be it that the client ended with trailers, which are
 * dropped. Other kinds of frames are dropped too.
 *
 * <p>The first handler of a stream whose channel reads by itself ({@code AUTO_READ}), and returns
 * no windows ({@code Http2StreamChannelOption.AUTO_STREAM_FLOW_CONTROL} is off). Its connection has
 * {@link Http2Windows} and {@link Http2Reads}.
 */
public final class StreamIntake extends Intake {
  private final Http2Reads reads;
  private @Nullable ChannelHandlerContext context;
  private boolean begun;
  private boolean dropping;

  /** For a stream of the connection that {@code reads} is a handler of. */
  public StreamIntake(Http2Reads reads) {
    super(new HeldInput(reads.heldWatch()));
    this.reads = reads;
  }

  /** Whether all of the request has come. */
  public boolean isComplete() {
    return hasEnded();
  }

  /** For how long, in all, the stream's connection was not read for want of memory. */
  public long unreadNanos() {
    return reads.deferredNanos();
  }

  /** Asks for the next frame of the body; the last one is used up. */
  public void request() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ask(ctx);
    }
  }

  /** Drops what is left of the body. No more of the window is returned; the end is told. */
  public void drop() {
    dropping = true;
    dropHeld();
    request();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Http2HeadersFrame head when !begun -> {
        begun = true;
        endIf(head.isEndStream());
        ctx.fireChannelRead(head);
      }
      case Http2HeadersFrame trailers -> {
        endIf(trailers.isEndStream());
        goOn(ctx);
      }
      case Http2DataFrame data -> {
        endIf(data.isEndStream());
        receive(ctx, data.content(), data.initialFlowControlledBytes());
      }
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void endIf(boolean endStream) {
    if (endStream) {
      end();
    }
  }

  private void receive(ChannelHandlerContext ctx, ByteBuf bytes, int windowBytes) {
    if (!dropping && bytes.isReadable()) {
      take(ctx, bytes, windowBytes);
      return;
    }
    bytes.release();
    // Padding, or an end alone.
    returnWindow(ctx, windowBytes);
    goOn(ctx);
  }

  @Override
  boolean handOn(ChannelHandlerContext ctx, ByteBuf piece, boolean last) {
    if (last) {
      endIsTold();
    }
    ctx.fireChannelRead(new DefaultHttp2DataFrame(piece, last));
    return true;
  }

  @Override
  void tellEnd(ChannelHandlerContext ctx) {
    ctx.fireChannelRead(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, /* endStream= */ true));
  }

  /** Its channel reads by itself. */
  @Override
  void askPeer(ChannelHandlerContext ctx) {}

  @Override
  void returnWindow(ChannelHandlerContext ctx, int bytes) {
    if (bytes > 0 && !dropping && !hasEnded() && ctx.channel().isActive()) {
      ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(bytes));
    }
  }
}
