package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.codec.http2.HttpConversionUtil;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request of a stream's frames: the head when it comes, and of the body one piece for each
 * that is asked for. What a client sends ahead of that is kept in one buffer, or in some while the
 * pool has nothing but small ones, whatever the frames that it came in: as objects, frames of a few
 * bytes would take dozens of times the memory, and a piece of what a socket was read into keeps all
 * of that.
 *
 * <p>The channel reads by itself: all that comes is taken from it at once. A piece's part of the
 * stream's window is given back when the next one is asked for, so a client is never further ahead
 * than its window.
 */
final class Http2Input extends ChannelInboundHandlerAdapter {
  private static final int SMALLEST_HELD_BYTES = 256;

  /** What the pool keeps a reserve for. */
  private static final int RESERVED_BYTES = 4 << 10;

  private final Http2Reads reads;
  private @Nullable ChannelHandlerContext context;
  private boolean begun;
  private boolean wanted;
  private boolean ended;
  private boolean endPassedOn;
  private boolean dropping;

  /** In the order in which it came; one buffer, unless memory was short. */
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(1);

  /** Of the window: what is held, and what was passed on and is in use. */
  private int heldWindowBytes;

  private int usedWindowBytes;

  Http2Input(Http2Reads reads) {
    this.reads = reads;
  }

  /** Whether all of the request has come. */
  boolean ended() {
    return ended;
  }

  /** For how long, in all, the stream's connection was not read for want of memory. */
  long unreadNanos() {
    return reads.deferredNanos();
  }

  /**
   * Drops what is left of the body: no more of the window is given back, and only its end is told.
   */
  void drop() {
    dropping = true;
    wanted = true;
    releaseHeld();
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      goOn(ctx);
    }
  }

  /** Asks for the next piece of the body; the last one is used up. */
  void request() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      wanted = true;
      int windowBytes = usedWindowBytes;
      usedWindowBytes = 0;
      if (!dropping) {
        giveBack(ctx, windowBytes);
      }
      goOn(ctx);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      switch (message) {
        case Http2HeadersFrame head when !begun -> begin(ctx, head);
        case Http2HeadersFrame trailers -> {
          // What they say is not needed.
          ended |= trailers.isEndStream();
          goOn(ctx);
        }
        case Http2DataFrame data -> receive(ctx, data);
        default -> {
          // Of another kind: endpoints ignore what they do not know.
        }
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(ChannelHandlerContext ctx, Http2HeadersFrame head) {
    begun = true;
    ended = head.isEndStream();
    HttpRequest request = request(head);
    if (!ended && !HttpUtil.isContentLengthSet(request)) {
      // What HTTP/1 would say of such a body.
      HttpUtil.setTransferEncodingChunked(request, /* chunked= */ true);
    }
    ctx.fireChannelRead(request);
  }

  private static HttpRequest request(Http2HeadersFrame head) {
    Http2Headers headers = head.headers();
    try {
      CharSequence path = headers.path();
      if (path != null && path.length() > HttpLimits.MAX_REQUEST_LINE_BYTES) {
        throw new TooLongHttpLineException();
      }
      if (headers.method() == null || path == null) {
        throw new IllegalArgumentException("a request needs :method and :path");
      }
      return HttpConversionUtil.toHttpRequest(
          streamId(head), headers, /* validateHttpHeaders= */ true);
    } catch (Http2Exception | RuntimeException malformed) {
      HttpRequest none = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "*");
      none.setDecoderResult(DecoderResult.failure(malformed));
      return none;
    }
  }

  private static int streamId(Http2StreamFrame frame) {
    return frame.stream() == null ? 0 : frame.stream().id();
  }

  private void receive(ChannelHandlerContext ctx, Http2DataFrame data) {
    ended |= data.isEndStream();
    ByteBuf bytes = data.content();
    int windowBytes = data.initialFlowControlledBytes();
    if (dropping) {
      goOn(ctx);
    } else if (!bytes.isReadable()) {
      // Padding, or an end alone.
      giveBack(ctx, windowBytes);
      goOn(ctx);
    } else if (wanted && held.isEmpty()) {
      passOn(ctx, bytes.retain(), windowBytes);
    } else {
      hold(ctx, bytes);
      heldWindowBytes += windowBytes;
    }
  }

  private void hold(ChannelHandlerContext ctx, ByteBuf bytes) {
    ByteBuf last = held.peekLast();
    try {
      if (last == null) {
        last = ctx.alloc().directBuffer(Math.max(SMALLEST_HELD_BYTES, bytes.readableBytes()));
        held.add(last);
      }
      last.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
      reads.held(bytes.readableBytes());
    } catch (BudgetExceededError refused) {
      holdInReserve(ctx, bytes);
    }
  }

  private void holdInReserve(ChannelHandlerContext ctx, ByteBuf bytes) {
    reads.heldInReserve();
    for (int from = bytes.readerIndex(); from < bytes.writerIndex(); ) {
      int length = Math.min(RESERVED_BYTES, bytes.writerIndex() - from);
      held.add(ctx.alloc().directBuffer(length).writeBytes(bytes, from, length));
      reads.held(length);
      from += length;
    }
  }

  private void goOn(ChannelHandlerContext ctx) {
    if (!wanted || endPassedOn) {
      return;
    }
    ByteBuf next = held.poll();
    if (next != null) {
      reads.letGo(next.readableBytes());
      // Padding goes with what is passed on last.
      int windowBytes = held.isEmpty() ? heldWindowBytes : next.readableBytes();
      heldWindowBytes -= windowBytes;
      passOn(ctx, next, windowBytes);
    } else if (ended) {
      passOn(ctx, Unpooled.EMPTY_BUFFER, /* windowBytes= */ 0);
    }
  }

  private void passOn(ChannelHandlerContext ctx, ByteBuf piece, int windowBytes) {
    wanted = false;
    usedWindowBytes += windowBytes;
    endPassedOn = ended && held.isEmpty();
    if (!endPassedOn) {
      ctx.fireChannelRead(new DefaultHttpContent(piece));
    } else if (piece.isReadable()) {
      ctx.fireChannelRead(new DefaultLastHttpContent(piece));
    } else {
      ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  private void giveBack(ChannelHandlerContext ctx, int bytes) {
    if (bytes > 0 && !ended && ctx.channel().isActive()) {
      ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(bytes));
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseHeld();
  }

  private void releaseHeld() {
    for (ByteBuf next = held.poll(); next != null; next = held.poll()) {
      reads.letGo(next.readableBytes());
      next.release();
    }
  }
}
