package dev.weir.compression.http;

import dev.weir.compression.Compression;
import dev.weir.compression.ContentCoding;
import dev.weir.netty.http.LingeringClose;
import dev.weir.netty.http.TransferCodings;
import dev.weir.netty.log.FailureLog;
import dev.weir.netty.loop.EventLoops;
import dev.weir.netty.write.Unwritten;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses requests. Goes behind an {@code HttpServerCodec}, and behind an {@link
 * HttpResponseCompressor} if there is one; one instance per channel. The application gets a request
 * without {@code Content-Encoding} and without digests of what was sent, its content in buffers of
 * bounded length, one for each read while auto-read is off: a small part may stand for a long
 * content.
 *
 * <p>A content above a limit gets {@code 413} as soon as it is, or as soon as more was sent than
 * one within the limit takes, one that is damaged or cut off {@code 400}, one in a coding that is
 * not known, or in several, {@code 415} with what is, one in a transfer coding other than {@code
 * chunked} {@code 501}, and one that there is no memory for {@code 503}; {@code 500} where a
 * library fails otherwise. The connection closes after that, once the client had a moment to read
 * it; to the application, which may have got a part of the content, the client has vanished. Where
 * a response to the request has begun already, the connection closes at once.
 */
public final class HttpRequestDecompressor extends ChannelDuplexHandler {
  /*
   * Messages wait in `arrived` for somebody to read them; that is never more than what one read of the channel brought,
   * since the channel is read again only when they have been passed on. A content stays first in it until the last
   * buffer of what it stands for has been passed on. The end of the input may be told without a read: it waits behind
   * them, and is passed on with the last of them.
   */
  private static final FailureLog REFUSALS = new FailureLog(HttpRequestDecompressor.class);

  private final Compression compression;
  private final RequestOptions options;
  private final AnswerTurns turns = new AnswerTurns();

  /** Messages, and ends of the input, that have not been passed on; of the first, a part may be. */
  private final ArrayDeque<Object> arrived = new ArrayDeque<>();

  private @Nullable DecodedContent decoding;

  /** Whether the decoder has been given the first of what has arrived. */
  private boolean firstIsFed;

  private @Nullable RequestRefusal refusal;
  private boolean answered;
  private boolean handling;
  private boolean readWanted;
  private boolean passedOn;

  /** Decompresses within the limits of {@code options}. */
  public HttpRequestDecompressor(Compression compression, RequestOptions options) {
    this.compression = compression;
    this.options = options;
  }

  /**
   * As a handler is added. With an {@code EventExecutorGroup} it is taken out again, and its
   * pipeline hears why by {@code exceptionCaught}.
   */
  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    EventLoops.requireOwn(ctx);
  }

  // What arrives.

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (refusal != null) {
      ReferenceCountUtil.release(message);
      return;
    }
    arrived.add(message);
    if (!handling) {
      handleArrived(ctx, /* completing= */ false);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (isInputEnd(event) && !arrived.isEmpty()) {
      arrived.add(event);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private static boolean isInputEnd(@Nullable Object arrived) {
    return arrived instanceof ChannelInputShutdownEvent
        || arrived instanceof ChannelInputShutdownReadComplete;
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    readWanted = true;
    if (handling) {
      return;
    }
    handleArrived(ctx, /* completing= */ true);
    if (arrived.isEmpty() && (readWanted || isAutoRead(ctx))) {
      ctx.read();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean unanswered = readWanted && arrived.isEmpty();
    passedOn = false;
    ctx.fireChannelReadComplete();
    if (!isAutoRead(ctx) && (unanswered || refusal != null)) {
      ctx.read();
    }
  }

  private static boolean isAutoRead(ChannelHandlerContext ctx) {
    return ctx.channel().config().isAutoRead();
  }

  /**
   * Goes on for as long as somebody reads.
   *
   * @param completing whether this stands for the end of a read of the channel's
   */
  private void handleArrived(ChannelHandlerContext ctx, boolean completing) {
    handling = true;
    try {
      while (!arrived.isEmpty() && (readWanted || isAutoRead(ctx))) {
        handleFirst(ctx);
        passInputEnd(ctx);
        if (completing && passedOn && (arrived.isEmpty() || !readWanted)) {
          passedOn = false;
          ctx.fireChannelReadComplete();
        }
      }
    } catch (Throwable failure) {
      refuse(ctx, RequestRefusal.of(failure));
    } finally {
      handling = false;
    }
  }

  private void passInputEnd(ChannelHandlerContext ctx) {
    while (isInputEnd(arrived.peek())) {
      ctx.fireUserEventTriggered(arrived.remove());
    }
  }

  /** Passes one message on, or finds that none comes of the first. */
  private void handleFirst(ChannelHandlerContext ctx) {
    Object message = arrived.element();
    if (!(message instanceof HttpObject)) {
      passOn(ctx, arrived.remove());
      return;
    }
    DecodedContent content = decoding;
    if (content != null
        && message instanceof HttpContent part
        && part.decoderResult().isSuccess()) {
      decodeFirst(ctx, content, part);
      return;
    }
    closeDecoding();
    if (message instanceof HttpRequest request) {
      turns.requested();
      ContentCoding coding = RequestCoding.of(request.headers(), compression.codings());
      if (coding != null && request.decoderResult().isSuccess()) {
        requireAcceptable(request);
        decoding = new DecodedContent(compression.decoder(coding), options);
        HttpRequest head = decodedHead(request);
        if (!(message instanceof HttpContent)) {
          arrived.remove(); // A whole request is its content too.
        }
        passOn(ctx, head);
        return;
      }
    }
    passOn(ctx, arrived.remove());
  }

  private void decodeFirst(ChannelHandlerContext ctx, DecodedContent content, HttpContent first) {
    if (!firstIsFed) {
      firstIsFed = true;
      content.feed(first.content().retain(), ctx.alloc());
    }
    while (content.hasSource()) {
      ByteBuf part = content.next(ctx.alloc());
      if (part != null) {
        passOn(ctx, Contents.of(part));
        return;
      }
    }
    LastHttpContent end = null;
    if (first instanceof LastHttpContent last) {
      content.finish();
      end =
          new DefaultLastHttpContent(
              Unpooled.EMPTY_BUFFER, Digests.without(last.trailingHeaders()));
      closeDecoding();
    }
    firstIsFed = false;
    arrived.remove();
    first.release();
    if (end != null) {
      passOn(ctx, end);
    }
  }

  private void passOn(ChannelHandlerContext ctx, Object message) {
    passedOn = true;
    readWanted = false;
    ctx.fireChannelRead(message);
  }

  /** Before the client is asked for what the head tells to be too much. */
  private void requireAcceptable(HttpRequest request) {
    if (!TransferCodings.areUndone(request.headers())) {
      throw new RequestRefusal(
          HttpResponseStatus.NOT_IMPLEMENTED,
          "the only transfer coding that is understood is chunked");
    }
    if (!HttpUtil.isTransferEncodingChunked(request)) {
      try {
        DecodedContent.requireAcceptable(HttpUtil.getContentLength(request, 0L), options);
      } catch (NumberFormatException nonsense) {
        throw new RequestRefusal(HttpResponseStatus.BAD_REQUEST, "Content-Length is not a number");
      }
    }
  }

  /**
   * A head without a length. In a pipeline that is what chunks say, whatever version of HTTP the
   * client speaks; that stays the client's, since the answer has to be fit for it.
   */
  private static HttpRequest decodedHead(HttpRequest request) {
    HttpHeaders headers = request.headers().copy();
    headers.remove(HttpHeaderNames.CONTENT_ENCODING);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    Digests.removeFrom(headers);
    HttpRequest head =
        new DefaultHttpRequest(request.protocolVersion(), request.method(), request.uri(), headers);
    HttpUtil.setTransferEncodingChunked(head, true);
    return head;
  }

  // A request that cannot be had.

  private void refuse(ChannelHandlerContext ctx, RequestRefusal reason) {
    refusal = reason;
    drop();
    try {
      if (turns.hasLastBegun()) {
        ctx.close();
      } else {
        answerInTurn(ctx, reason);
      }
    } finally {
      log(ctx, reason);
    }
  }

  private static void log(ChannelHandlerContext ctx, RequestRefusal reason) {
    String what = "%s: %s: %s".formatted(ctx.channel(), reason.status(), reason.getMessage());
    REFUSALS.report(what, reason.getCause());
  }

  private void answerInTurn(ChannelHandlerContext ctx, RequestRefusal reason) {
    if (!answered && turns.isLastOnesTurn()) {
      answered = true;
      try {
        LingeringClose.after(ctx, reason.answer(compression.codings()));
      } catch (Throwable failure) {
        ctx.close(); // It is read no more, and nothing else would end it.
        throw failure;
      }
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (answered) {
      Unwritten.release(message);
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    turns.written(message);
    ctx.write(message, promise);
    RequestRefusal reason = refusal;
    if (reason != null) {
      answerInTurn(ctx, reason);
    }
  }

  // The end.

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    drop();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (refusal != null && ctx.channel().isActive()) {
      ctx.close(); // The application has been told that the client has vanished.
    } else if (decoding != null && ctx.channel().isActive()) {
      System.getLogger(HttpRequestDecompressor.class.getPackageName())
          .log(Level.WARNING, "closed: the decompressor was removed in the middle of a request");
      ctx.close();
    } else if (ctx.channel().isActive()) {
      passOnWhatArrived(ctx);
    }
    drop();
  }

  private void passOnWhatArrived(ChannelHandlerContext ctx) {
    boolean any = false;
    while (!arrived.isEmpty()) {
      passInputEnd(ctx);
      Object message = arrived.poll();
      if (message != null) {
        any = true;
        ctx.fireChannelRead(message);
      }
    }
    if (any) {
      ctx.fireChannelReadComplete();
    }
  }

  /** Throws nothing: a request is to be refused after this, or others are to hear of it. */
  private void drop() {
    try {
      closeDecoding();
    } catch (Throwable notGivenBack) {
      REFUSALS.report("the decoder of a request is not given back", notGivenBack);
    }
    while (!arrived.isEmpty()) {
      ReferenceCountUtil.release(arrived.remove());
    }
  }

  private void closeDecoding() {
    DecodedContent last = decoding;
    decoding = null;
    firstIsFed = false;
    if (last != null) {
      last.close();
    }
  }
}
