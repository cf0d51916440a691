package dev.weir.compression.http;

import dev.weir.compression.Compression;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.netty.write.Unwritten;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ServerChannel;
import io.netty.handler.codec.UnsupportedMessageTypeException;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses responses as clients accept it (RFC 9110, section 12.5.3). Goes behind an {@code
 * HttpServerCodec} or whatever else has requests come and responses go as Netty's HTTP objects; one
 * instance per channel.
 *
 * <p>A response is one frame, in buffers of bounded length, from direct memory to direct memory, on
 * the channel's allocator unless another is given. It is cut where the application flushes the
 * channel, so that the client can read all so far, and nowhere else; where the channel is not
 * writable, once it is. What comes of one message is one message, whatever its length. A response
 * that comes whole keeps a {@code Content-Length}, any other is sent in chunks. Both get {@code
 * Vary}, and a weak {@code ETag}.
 *
 * <p>A response to {@code HEAD}, and a {@code 304}, say what the compressed response would: of the
 * latter the client's own entity tag tells, where the application's are strong, whether that was
 * compressed.
 *
 * <p>Left as they are: responses without content, of a part, encoded already, marked {@code
 * no-transform}, short, or of a type that is not worth it; those whose first bytes look compressed;
 * and, while memory is short, those that the client takes uncompressed. A client that takes nothing
 * there is gets {@code 406}, one that takes nothing but what memory is short for {@code 503}.
 *
 * <p>What is written is released on every path. When the channel closes, the handler is removed or
 * an encoder fails, the memory of the encoder is given back at once; a response that has begun and
 * cannot be continued closes the connection, and its reason is logged.
 */
public final class HttpResponseCompressor extends ChannelDuplexHandler {
  /*
   *            head, content follows           content           last content
   *   HEAD ──────────────────────────▶ HELD ────────────▶ ENCODING ──────────▶ HEAD
   *    │                                 └──not worth it──▶ PASSING ───────────▶ HEAD
   *    ├──head of what is left alone──────────────────────▶ PASSING
   *    └──head of what is refused─────────────────────────▶ DROPPING ──────────▶ HEAD
   *
   *   A whole response is dealt with at once. FAILED is for the rest of the connection.
   *
   * What is longer than a screen here is the one state machine: which message may come in which phase, and who releases
   * it. What is decided about a response, its heads and its content each have a file of their own.
   */
  private enum Phase {
    HEAD,
    HELD,
    ENCODING,
    PASSING,
    DROPPING,
    FAILED
  }

  private static final long UNKNOWN_LENGTH = -1;

  /** In the place of a content that has been taken, for its promise. */
  private static final HttpContent NOTHING_YET = new DefaultHttpContent(Unpooled.EMPTY_BUFFER);

  private static final System.Logger LOG =
      System.getLogger(HttpResponseCompressor.class.getPackageName());

  private final Compression compression;
  private final ResponseOptions options;

  /** Null for the channel's. */
  private final @Nullable Supplier<ByteBufAllocator> allocator;

  private final WaitingRequests waiting = new WaitingRequests();
  private Phase phase = Phase.HEAD;
  private @Nullable HeldHead held;
  private @Nullable EncodedContent encoding;
  private boolean closed;

  /** Whether a message is on its way: what is flushed now comes behind it. */
  private boolean writing;

  private boolean flushWanted;

  /** Whether the client is to get all so far as soon as the channel is writable. */
  private boolean cutWanted;

  /** Compresses with the defaults of {@link ResponseOptions}. */
  public HttpResponseCompressor(Compression compression) {
    this(compression, ResponseOptions.DEFAULT);
  }

  /** Compresses what {@code options} say. */
  public HttpResponseCompressor(Compression compression, ResponseOptions options) {
    this(compression, options, /* allocator= */ null);
  }

  /**
   * The same, into buffers of another allocator than the channel's, say one that charges responses.
   *
   * @param allocator asked on the channel's event loop, for each response that is compressed; null
   *     for the channel's
   */
  public HttpResponseCompressor(
      Compression compression,
      ResponseOptions options,
      @Nullable Supplier<ByteBufAllocator> allocator) {
    this.compression = compression;
    this.options = options;
    this.allocator = allocator;
  }

  private ByteBufAllocator allocator(ChannelHandlerContext ctx) {
    return allocator == null ? ctx.alloc() : allocator.get();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request
        && phase != Phase.FAILED
        && !waiting.tryAdd(request)) {
      ReferenceCountUtil.release(message);
      fail(ctx, new IllegalStateException("too many requests wait for their responses"));
      return;
    }
    ctx.fireChannelRead(message);
  }

  // What the application writes.

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (closed || !isAlive(ctx)) {
      ctx.write(message, promise); // The channel releases it, and fails the promise.
      return;
    }
    if (phase == Phase.FAILED) {
      Unwritten.release(message);
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    boolean outer = writing;
    writing = true;
    try {
      if (message instanceof HttpResponse response) {
        writeResponse(ctx, response, promise);
      } else if (message instanceof HttpContent content) {
        writeContent(ctx, content, promise);
      } else if (message instanceof ByteBuf bytes && (phase == Phase.HELD || encoding != null)) {
        writeContent(ctx, new DefaultHttpContent(bytes), promise);
      } else {
        writeOther(ctx, message, promise);
      }
    } catch (Throwable failure) {
      promise.tryFailure(failure);
      fail(ctx, failure);
    } finally {
      writing = outer;
    }
    if (flushWanted && !outer) {
      flush(ctx);
    }
  }

  private void writeResponse(
      ChannelHandlerContext ctx, HttpResponse response, ChannelPromise promise) {
    HttpResponseStatus status = response.status();
    if (status.codeClass() == HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      ctx.write(response, promise);
      return;
    }
    if (phase == Phase.ENCODING) {
      Unwritten.release(response);
      throw new IllegalStateException("a response begins before the last one has ended");
    }
    passHeld(ctx);
    AskedFor asked = waiting.next();
    ResponsePlan plan;
    HttpResponse passed;
    try {
      plan = ResponsePlan.of(response, asked, compression.codings(), options);
      passed =
          plan.action() == ResponsePlan.Action.ENCODE
              ? response
              : ResponseHeads.passed(response, plan);
    } catch (Throwable failure) {
      Unwritten.release(response);
      throw failure;
    }
    switch (plan.action()) {
      case PASS, PASS_AND_VARY, HEAD_ONLY, NOT_MODIFIED -> pass(ctx, passed, promise);
      case REFUSE -> answerInPlaceOf(ctx, response, passed, promise);
      case ENCODE -> {
        if (response instanceof FullHttpResponse whole) {
          encodeWhole(ctx, whole, plan, promise);
        } else {
          held = new HeldHead(response, plan, promise);
          phase = Phase.HELD;
        }
      }
    }
  }

  private void pass(ChannelHandlerContext ctx, HttpResponse response, ChannelPromise promise) {
    phase = response instanceof FullHttpResponse ? Phase.HEAD : Phase.PASSING;
    ctx.write(response, promise);
  }

  private void answerInPlaceOf(
      ChannelHandlerContext ctx,
      HttpResponse response,
      HttpResponse answer,
      ChannelPromise promise) {
    phase = response instanceof FullHttpResponse ? Phase.HEAD : Phase.DROPPING;
    Unwritten.release(response);
    ctx.write(answer, promise);
  }

  private void encodeWhole(
      ChannelHandlerContext ctx,
      FullHttpResponse whole,
      ResponsePlan plan,
      ChannelPromise promise) {
    WholeResponse encoded =
        WholeResponse.tryEncode(
            whole,
            plan,
            bytes -> tryEncoder(ctx, plan, bytes),
            allocator(ctx),
            options.chunkBytes());
    if (encoded == null) {
      passOrRefuse(ctx, whole, plan, promise);
    } else {
      phase = Phase.HEAD;
      encoded.write(ctx, plan, promise);
    }
  }

  /** What has not been compressed goes as it is, unless the client does not take that. */
  private void passOrRefuse(
      ChannelHandlerContext ctx, HttpResponse response, ResponsePlan plan, ChannelPromise promise) {
    HttpResponse other;
    try {
      other =
          plan.required()
              ? ResponseHeads.inPlaceOf(response, HttpResponseStatus.SERVICE_UNAVAILABLE)
              : ResponseHeads.passed(response, plan);
    } catch (Throwable failure) {
      Unwritten.release(response);
      throw failure;
    }
    if (plan.required()) {
      answerInPlaceOf(ctx, response, other, promise);
    } else {
      pass(ctx, other, promise);
    }
  }

  private void writeContent(
      ChannelHandlerContext ctx, HttpContent content, ChannelPromise promise) {
    boolean last = content instanceof LastHttpContent;
    if (phase == Phase.HELD) {
      begin(ctx, content, last);
    }
    switch (phase) {
      case ENCODING -> encode(ctx, content, last, promise);
      case DROPPING -> {
        content.release();
        promise.trySuccess();
        phase = last ? Phase.HEAD : phase;
      }
      default -> {
        phase = last && phase == Phase.PASSING ? Phase.HEAD : phase;
        ctx.write(content, promise);
      }
    }
  }

  /** Decides, with the first of the content, what becomes of the response. */
  private void begin(ChannelHandlerContext ctx, HttpContent first, boolean last) {
    ByteBuf content = first.content();
    boolean longEnough = !last || content.readableBytes() >= options.minBytes();
    try {
      begin(
          ctx,
          longEnough && !ContentSample.looksCompressed(content),
          last ? content.readableBytes() : UNKNOWN_LENGTH);
    } catch (Throwable failure) {
      first.release();
      throw failure;
    }
  }

  private void begin(ChannelHandlerContext ctx, boolean worthIt, long wholeBytes) {
    HeldHead head = takeHeld();
    HttpResponse response = head.response();
    ResponsePlan plan = head.plan();
    try {
      long bytes = wholeBytes == UNKNOWN_LENGTH ? ResponseHeads.contentBytes(response) : wholeBytes;
      HttpResponse streamed = null;
      try {
        Encoder encoder = worthIt || plan.required() ? tryEncoder(ctx, plan, bytes) : null;
        if (encoder != null) {
          encoding = new EncodedContent(encoder, allocator(ctx), options.chunkBytes());
          phase = Phase.ENCODING;
          streamed = ResponseHeads.streamed(response, plan.requireCoding());
        }
      } catch (Throwable failure) {
        Unwritten.release(response);
        throw failure;
      }
      if (streamed == null) {
        passOrRefuse(ctx, response, plan, head.promise());
      } else {
        ctx.write(streamed, head.promise());
        if (head.promise().isDone() && !head.promise().isSuccess()) {
          // Nothing can follow it, in whichever coding; what becomes of the channel is not ours.
          closeEncoding();
          phase = Phase.PASSING;
        }
      }
    } catch (Throwable failure) {
      head.promise().tryFailure(failure);
      throw failure;
    }
  }

  private @Nullable Encoder tryEncoder(ChannelHandlerContext ctx, ResponsePlan plan, long bytes) {
    if (!isAlive(ctx)) {
      return null; // Nobody will read it.
    }
    return plan.required()
        ? compression.tryRequiredEncoder(plan.requireCoding(), bytes)
        : compression.tryEncoder(plan.requireCoding(), bytes);
  }

  private void encode(
      ChannelHandlerContext ctx, HttpContent content, boolean last, ChannelPromise promise) {
    HttpContent output;
    try {
      output =
          last
              ? requireEncoding().end((LastHttpContent) content)
              : content(requireEncoding().encode(content.content(), Step.TAKE));
    } finally {
      content.release();
    }
    if (last) {
      phase = Phase.HEAD;
      try {
        closeEncoding();
      } catch (Throwable failure) {
        output.release();
        throw failure;
      }
    }
    ctx.write(output, promise);
  }

  private static HttpContent content(ByteBuf bytes) {
    return bytes.isReadable() ? new DefaultHttpContent(bytes) : NOTHING_YET;
  }

  /** A file, say, which never becomes bytes of ours. */
  private void writeOther(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (phase == Phase.ENCODING) {
      Unwritten.release(message);
      throw new UnsupportedMessageTypeException(message, HttpContent.class, ByteBuf.class);
    }
    passHeld(ctx);
    if (phase == Phase.DROPPING) {
      Unwritten.release(message);
      promise.trySuccess();
    } else {
      ctx.write(message, promise);
    }
  }

  /**
   * Netty tells within a write that the channel is no longer writable, and an application may flush
   * then: the end of what is being written comes first. What an encoder gives at a flush waits for
   * room, as the application would: bounds on what is queued count it as a message of its own.
   */
  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (writing) {
      flushWanted = true;
      return;
    }
    flushWanted = false;
    cutWanted = false;
    if (!isAlive(ctx)) {
      ctx.flush();
      return;
    }
    if (phase == Phase.HELD) {
      writeOfFlush(ctx, () -> begin(ctx, /* worthIt= */ true, UNKNOWN_LENGTH));
    }
    if (isCutPossible() && !ctx.channel().isWritable()) {
      ctx.flush();
    }
    if (isCutPossible()) {
      cutWanted = !ctx.channel().isWritable();
      if (!cutWanted) {
        writeOfFlush(ctx, () -> cut(ctx));
      }
    }
    ctx.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (cutWanted && ctx.channel().isWritable()) {
      flush(ctx);
    }
    ctx.fireChannelWritabilityChanged();
  }

  private void writeOfFlush(ChannelHandlerContext ctx, Runnable step) {
    writing = true;
    try {
      step.run();
    } catch (Throwable failure) {
      failUntold(ctx, failure);
    } finally {
      writing = false;
      flushWanted = false; // What writes here is about to flush.
    }
  }

  private boolean isCutPossible() {
    return encoding != null && encoding.isPending();
  }

  private void cut(ChannelHandlerContext ctx) {
    ByteBuf output = requireEncoding().encode(Unpooled.EMPTY_BUFFER, Step.FLUSH);
    if (output.isReadable()) {
      ctx.write(new DefaultHttpContent(output))
          .addListener(written -> {
            Throwable failure = written.cause();
            if (failure != null && !closed && phase != Phase.FAILED && isAlive(ctx)) {
              // A response with a piece missing must not go on.
              failUntold(ctx, failure);
            }
          });
    }
  }

  /** Fails where no promise tells the application of it. */
  private void failUntold(ChannelHandlerContext ctx, Throwable failure) {
    fail(ctx, failure);
    ctx.fireExceptionCaught(failure);
  }

  // The end.

  /**
   * Whether what is written can arrive. A stream of HTTP/2 is told of its connection's end after
   * others have closed what its buffers come from.
   */
  private static boolean isAlive(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    Channel parent = channel.parent();
    return channel.isActive()
        && (parent == null || parent instanceof ServerChannel || parent.isActive());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed = true;
    drop();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    boolean cutOff = phase == Phase.ENCODING && ctx.channel().isActive();
    if (ctx.channel().isActive()) {
      passHeld(ctx);
    }
    closed = true;
    drop();
    if (cutOff) {
      LOG.log(Level.WARNING, "closed: the compressor was removed in the middle of a response");
      ctx.close();
    }
  }

  private void fail(ChannelHandlerContext ctx, Throwable failure) {
    phase = Phase.FAILED;
    drop();
    LOG.log(
        Level.WARNING,
        "{0} is closed: a response cannot be continued: {1}",
        ctx.channel(),
        failure);
    LOG.log(Level.DEBUG, "where that was", failure);
    ctx.close();
  }

  private void drop() {
    waiting.clear();
    closeEncoding();
    HeldHead head = held;
    held = null;
    if (head != null) {
      head.drop();
    }
  }

  private void passHeld(ChannelHandlerContext ctx) {
    if (held != null) {
      HeldHead head = takeHeld();
      pass(ctx, head.response(), head.promise());
    }
  }

  private HeldHead takeHeld() {
    HeldHead head = held;
    if (head == null) {
      throw new IllegalStateException("no head is held");
    }
    held = null;
    return head;
  }

  private EncodedContent requireEncoding() {
    EncodedContent current = encoding;
    if (current == null) {
      throw new IllegalStateException("no content is being encoded");
    }
    return current;
  }

  private void closeEncoding() {
    EncodedContent last = encoding;
    encoding = null;
    if (last != null) {
      last.close();
    }
  }
}
