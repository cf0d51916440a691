package dev.weir.compression.http;

import dev.weir.compression.codec.Step;
import dev.weir.netty.http.ResponseEnds;
import dev.weir.netty.write.Unwritten;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.UnsupportedMessageTypeException;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * The response that is being written on a channel, one after the other: which message may come
 * when, what is written in its place, and who releases it. A method takes its message over,
 * whatever comes of it; after one has thrown, the response cannot be continued. Used by the
 * channel's event loop.
 */
final class OutgoingResponse {
  /*
   *            head, content follows           content           last content
   *   HEAD ──────────────────────────▶ HELD ────────────▶ ENCODING ──────────▶ HEAD
   *    │                                 └──not worth it──▶ PASSING ───────────▶ HEAD
   *    ├──head of what is left alone──────────────────────▶ PASSING
   *    └──head of what is refused─────────────────────────▶ DROPPING ──────────▶ HEAD
   *
   *   A whole response is dealt with at once.
   *
   * What is decided about a response, its heads and its content each have a file of their own.
   */
  private enum Phase {
    HEAD,
    HELD,
    ENCODING,
    PASSING,
    DROPPING
  }

  private static final long UNKNOWN_LENGTH = -1;

  /** In the place of a content that has been taken, for its promise. */
  private static final HttpContent NOTHING_YET = new DefaultHttpContent(Unpooled.EMPTY_BUFFER);

  private final ContentEncoders encoders;
  private final ResponseOptions options;
  private final ChannelFutureListener pieces;

  private Phase phase = Phase.HEAD;
  private @Nullable HeldHead held;
  private @Nullable EncodedContent encoding;

  /**
   * None has begun yet.
   *
   * @param pieces hears of contents that were compressed whether they could be written
   */
  OutgoingResponse(
      ContentEncoders encoders, ResponseOptions options, ChannelFutureListener pieces) {
    this.encoders = encoders;
    this.options = options;
    this.pieces = pieces;
  }

  /** Whether a head waits for the first of its content. */
  boolean isHeld() {
    return phase == Phase.HELD;
  }

  /** Whether a response is another than the application's, of which more is to come. */
  boolean isReplaced() {
    return phase == Phase.ENCODING || phase == Phase.DROPPING;
  }

  /** Whether bytes without an envelope are a content here. */
  boolean takesBytes() {
    return isHeld() || encoding != null;
  }

  /**
   * Takes a head, or a whole response.
   *
   * @param waiting has the request that it is to, if it is no interim one
   */
  void begin(
      ChannelHandlerContext ctx,
      HttpResponse response,
      WaitingRequests waiting,
      ChannelPromise promise) {
    if (isReplaced()) {
      Unwritten.release(response);
      if (phase == Phase.DROPPING) {
        ctx.flush(); // What is in its place is whole, and the channel is closed soon.
      }
      throw new IllegalStateException("a response begins before the last one has ended");
    }
    HttpResponseStatus status = response.status();
    if (status.codeClass() == HttpStatusClass.INFORMATIONAL
        && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      ctx.write(response, promise);
      return;
    }
    passHeld(ctx);
    AskedFor asked = waiting.next();
    ResponsePlan plan;
    HttpResponse passed;
    try {
      plan = ResponsePlan.of(response, asked, encoders.codings(), options);
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
    WholeResponse encoded;
    try {
      encoded = WholeResponse.tryEncode(whole, plan, bytes -> encoders.tryBegin(ctx, plan, bytes));
    } catch (Throwable failure) {
      Unwritten.release(whole);
      throw failure;
    }
    if (encoded == null) {
      passOrRefuse(ctx, whole, plan, promise);
    } else {
      phase = Phase.HEAD;
      encoded.write(ctx, plan, promise);
    }
  }

  /**
   * What has not been compressed goes as it is, unless the client does not take that and is to come
   * again.
   */
  private void passOrRefuse(
      ChannelHandlerContext ctx, HttpResponse response, ResponsePlan plan, ChannelPromise promise) {
    boolean refused = plan.replaceable();
    HttpResponse other;
    try {
      other =
          refused
              ? ResponseHeads.inPlaceOf(response, HttpResponseStatus.SERVICE_UNAVAILABLE)
              : ResponseHeads.passed(response, plan);
    } catch (Throwable failure) {
      Unwritten.release(response);
      promise.tryFailure(failure);
      throw failure;
    }
    if (refused) {
      answerInPlaceOf(ctx, response, other, promise);
    } else {
      pass(ctx, other, promise);
    }
  }

  /** Takes a content, the last one too. */
  void add(ChannelHandlerContext ctx, HttpContent content, ChannelPromise promise) {
    boolean last = content instanceof LastHttpContent;
    if (phase == Phase.HELD) {
      if (!last && !content.content().isReadable()) {
        content.release(); // Nothing of the content is known yet.
        promise.trySuccess();
        return;
      }
      decide(ctx, content, last);
    }
    switch (phase) {
      case ENCODING -> encode(ctx, content, last, promise);
      case DROPPING -> {
        phase = last ? Phase.HEAD : phase;
        content.release();
        promise.trySuccess(); // A listener may write the next response.
      }
      default -> {
        phase = last && phase == Phase.PASSING ? Phase.HEAD : phase;
        ctx.write(content, promise);
      }
    }
  }

  /** Decides, with the first of the content, what becomes of the response. */
  private void decide(ChannelHandlerContext ctx, HttpContent first, boolean last) {
    ByteBuf content = first.content();
    boolean longEnough = !last || content.readableBytes() >= options.minBytes();
    try {
      decide(
          ctx,
          longEnough && !ContentSample.looksCompressed(content),
          last ? content.readableBytes() : UNKNOWN_LENGTH);
    } catch (Throwable failure) {
      first.release();
      throw failure;
    }
  }

  /** The same, while nothing of the content is known. */
  void decide(ChannelHandlerContext ctx) {
    decide(ctx, /* worthIt= */ true, UNKNOWN_LENGTH);
  }

  private void decide(ChannelHandlerContext ctx, boolean worthIt, long wholeBytes) {
    HeldHead head = takeHeld();
    HttpResponse response = head.response();
    ResponsePlan plan = head.plan();
    try {
      long announced = ResponseHeads.contentBytes(response);
      long bytes = announced >= 0 ? announced : wholeBytes;
      HttpResponse streamed = null;
      try {
        encoding = worthIt || plan.required() ? encoders.tryBegin(ctx, plan, bytes) : null;
        if (encoding != null) {
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

  private void encode(
      ChannelHandlerContext ctx, HttpContent content, boolean last, ChannelPromise promise) {
    HttpContent output;
    ChannelPromise told;
    try {
      told = promise.unvoid();
      output =
          last
              ? requireEncoding().end((LastHttpContent) content)
              : content(requireEncoding().take(content.content()));
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
    ctx.write(output, told).addListener(pieces);
  }

  private static HttpContent content(ByteBuf bytes) {
    return bytes.isReadable() ? Contents.of(bytes) : NOTHING_YET;
  }

  /** Takes a file, say, which never becomes bytes of ours. */
  void addOther(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (phase == Phase.ENCODING) {
      Unwritten.release(message);
      throw new UnsupportedMessageTypeException(message, HttpContent.class, ByteBuf.class);
    }
    try {
      if (held != null) {
        HeldHead head = takeHeld();
        passOrRefuse(ctx, head.response(), head.plan(), head.promise());
      }
    } catch (Throwable failure) {
      Unwritten.release(message);
      throw failure;
    }
    if (phase == Phase.DROPPING) {
      phase = ResponseEnds.isOne(message) ? Phase.HEAD : phase;
      Unwritten.release(message);
      promise.trySuccess();
    } else {
      ctx.write(message, promise);
    }
  }

  /** Whether the client can be given more of what has been taken. */
  boolean isCutPossible() {
    return encoding != null && encoding.isPending();
  }

  /** Cuts the frame, so that the client can read all so far; what comes of it is the caller's. */
  ByteBuf cut() {
    return requireEncoding().encode(Unpooled.EMPTY_BUFFER, Step.FLUSH);
  }

  /** Nothing becomes of what is under way, or comes after it; once more does nothing. */
  void drop() {
    phase = Phase.HEAD;
    HeldHead head = held;
    held = null;
    try {
      closeEncoding();
    } finally {
      if (head != null) {
        head.drop();
      }
    }
  }

  /** Has a head that is held pass as it is. */
  void passHeld(ChannelHandlerContext ctx) {
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
