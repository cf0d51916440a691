package dev.weir.server.http;

import dev.weir.netty.write.OutboundClosing;
import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Carries exchanges, one at a time: those of a connection of HTTP/1.1, or the one of a stream of
 * HTTP/2. It takes in nothing that it cannot use yet, so that a slow disk or a slow client is felt
 * by the peer, not by the node's memory. What differs between the protocols is in its {@link Line}.
 *
 * <pre>
 *            head            last content, response under way
 *   IDLE ──────────▶ RECEIVING ──────────▶ RESPONDING ──▶ IDLE; a stream: CLOSED
 *                       │ response sent before the body was complete
 *                       ├──▶ DISCARDING ──▶ IDLE      few bytes left
 *                       └──▶ LINGERING ───▶ CLOSED    many bytes left, framing lost, last response
 * </pre>
 *
 * All changes of the state are here, so that they can be read at once.
 *
 * <p>A client may end its side at any time. What it sent before is served; a live read ends, since
 * its client can no longer be told from one that is gone.
 */
final class HttpCarrier extends ChannelInboundHandlerAdapter {
  /** Asks a connection to end what waits, and itself as soon as it is idle. */
  enum Signal {
    DRAIN
  }

  private enum State {
    IDLE,
    RECEIVING,
    RESPONDING,
    DISCARDING,
    LINGERING,
    CLOSED
  }

  private final Services services;
  private final ConnectionMemory memory;
  private final Router router;
  private final Line line;
  private final StallGuard guard;
  private State state = State.IDLE;
  private @Nullable ActiveExchange exchange;
  private @Nullable Object readAhead;
  private boolean messageWanted;
  private boolean inputEnded;
  private boolean draining;
  private long discardedBytes;

  HttpCarrier(Services services, ConnectionMemory memory, Router router, Line line) {
    this.services = services;
    this.memory = memory;
    this.router = router;
    this.line = line;
    this.guard = new StallGuard(services.limits(), line, () -> run(this::stalled));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    line.begin(this, ctx);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    guard.start(ctx.executor());
    if (!line.endsWithExchange()) {
      requestMessage();
    }
  }

  /** Asks for one more message of the request. */
  void requestMessage() {
    messageWanted = true;
    line.request();
    if (messageWanted && inputEnded) {
      // What had come before the end is used up.
      inputOver();
    }
  }

  /**
   * Sees to it that the client's end is noticed, although nothing of the request is needed. A
   * stream is closed when its client has gone, whether anything is read of it or not.
   */
  void readAhead() {
    if (readAhead == null && !line.endsWithExchange()) {
      requestMessage();
    }
  }

  /** The exchange that is carried now, if there is one. */
  @Nullable ActiveExchange underWay() {
    return exchange;
  }

  /** Whether no further request is wanted, which the response has to say. */
  boolean isDraining() {
    return draining && !line.endsWithExchange();
  }

  StallGuard guard() {
    return guard;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (messageWanted && !inputEnded) {
      // The socket gave bytes, but not enough for a message.
      line.request();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    messageWanted = false;
    guard.progress();
    if (state == State.RESPONDING) {
      // Watching for the client's end found the next request instead: it has to wait.
      readAhead = message;
    } else {
      handle(message);
    }
  }

  private void handle(Object message) {
    switch (state) {
      case IDLE -> {
        if (message instanceof HttpRequest request) {
          begin(request);
        } else {
          // The end of a request that was refused for its framing.
          ReferenceCountUtil.release(message);
        }
      }
      case RECEIVING -> receive((HttpContent) message);
      case DISCARDING, LINGERING -> discard(message);
      case RESPONDING, CLOSED -> ReferenceCountUtil.release(message);
    }
  }

  private void begin(HttpRequest request) {
    switch (line.admit()) {
      case SERVED -> {
        open(request).start(router, RequestCheck.refuse(request));
        if (draining) {
          drain();
        }
      }
      case REFUSED -> {
        ActiveExchange refused = open(request);
        refused.closeAfterwards();
        refused.refuse(
            503, FixedAnswer.TOO_MANY, Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1"));
        line.dropRest();
      }
      case NOT_ANSWERED -> {
        letGo();
        line.abandon(/* failure= */ null);
      }
    }
  }

  private ActiveExchange open(HttpRequest request) {
    ActiveExchange opened = new ActiveExchange(line, services, memory, router, request);
    exchange = opened;
    state = State.RECEIVING;
    guard.waiting();
    return opened;
  }

  /** Gives up a request that has not come: a stand-in for it carries the answer. */
  void giveUp(HttpRequest standIn, Refusals.Refusal refusal) {
    open(standIn).giveUp(refusal);
  }

  private void receive(HttpContent content) {
    ActiveExchange current = exchange;
    if (current == null || content.decoderResult().isFailure()) {
      content.release();
      if (current != null) {
        current.giveUp(new Refusals.Refusal(400, "the body's chunks are malformed"));
      }
      return;
    }
    boolean last = content instanceof LastHttpContent;
    if (last) {
      state = State.RESPONDING;
    }
    current.receive(content);
    if (last && current.watching()) {
      // The watch was spent on the request's own end.
      readAhead();
    }
  }

  private void discard(Object message) {
    boolean last = message instanceof LastHttpContent;
    if (message instanceof HttpContent content) {
      int bytes = content.content().readableBytes();
      discardedBytes += bytes;
      guard.received(bytes);
    }
    ReferenceCountUtil.release(message);
    if (last && (state == State.DISCARDING || line.endsWithExchange())) {
      becomeIdle();
    } else if (discardedBytes > HalfClose.MAX_DROPPED_BYTES) {
      close();
    } else {
      requestMessage();
    }
  }

  /** The response is written: goes on with the next request, or ends well. */
  void finished(ActiveExchange done) {
    if (exchange == done) {
      run(() -> goOnAfter(done));
    }
  }

  private void goOnAfter(ActiveExchange done) {
    exchange = null;
    discardedBytes = 0;
    if (line.endsWithExchange() && (done.bodyComplete() || line.isInputComplete())) {
      close();
    } else if (done.isLast()) {
      linger();
    } else if (done.bodyComplete()) {
      becomeIdle();
    } else {
      state = State.DISCARDING;
      guard.receiving();
      requestMessage();
    }
  }

  /** Ends after the last answer, but not before the client could read it. */
  void linger() {
    state = State.LINGERING;
    releaseReadAhead();
    if (line.endsWithExchange()) {
      guard.receiving();
    }
    if (line.beginEnd()) {
      requestMessage();
    }
  }

  private void becomeIdle() {
    if (line.endsWithExchange()) {
      close();
      return;
    }
    state = State.IDLE;
    guard.idle();
    Object next = readAhead;
    readAhead = null;
    if (next != null) {
      handle(next);
    } else if (draining) {
      // It was not told so: the next request may be on its way.
      linger();
    } else {
      requestMessage();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    guard.progress();
    ActiveExchange current = exchange;
    if (current != null && ctx.channel().isWritable()) {
      current.handler().writable();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    switch (event) {
      case ChannelInputShutdownEvent end -> {
        inputEnded = true;
        if (messageWanted) {
          inputOver();
        }
      }
      case ChannelOutputShutdownEvent end when state != State.LINGERING ->
          // Not this class's doing: a write failed, and no other can follow it.
          ctx.close();
      case OutboundClosing closing -> {
        Failure failure = Failure.of(closing);
        if (failure != null) {
          failed(failure, new IOException(closing.message()));
        }
      }
      case Signal drain -> drain();
      case Http2ResetFrame reset -> {
        letGo();
        // Not before the codec has counted it, or it would be answered with another (RFC 9113,
        // 5.4.2).
        ctx.executor().execute(ctx::close);
      }
      default -> ctx.fireUserEventTriggered(event);
    }
  }

  /** The node is being stopped: ends what waits for events, or what is idle. */
  void drain() {
    draining = true;
    ActiveExchange current = exchange;
    if (current != null) {
      run(() -> current.handler().drain());
    } else if (state == State.IDLE && !line.endsWithExchange()) {
      close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    guard.stop();
    letGo();
  }

  /** Also when a client speaks HTTP/2: this one is of HTTP/1.1 then. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    guard.stop();
    letGo();
    line.removed();
  }

  /** Lets go of everything that is held for the exchange. */
  void letGo() {
    state = State.CLOSED;
    // The client may not take the end.
    guard.writing();
    line.letGo();
    releaseReadAhead();
    ActiveExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.closeHandler();
    }
  }

  private void releaseReadAhead() {
    ReferenceCountUtil.release(readAhead);
    readAhead = null;
  }

  /** Lets go of everything at once, and closes the channel. */
  void close() {
    letGo();
    line.context().close();
  }

  /** Runs what nobody calls who could handle its failure. */
  void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      exceptionCaught(line.context(), failure);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof Http2Exception) {
      malformed(cause);
    } else {
      failed(Failure.of(cause), cause);
    }
  }

  /** The connection tells of what is wrong with a stream's frames before it resets the stream. */
  private void malformed(Throwable cause) {
    if (state == State.CLOSED) {
      return;
    }
    line.count(Failure.of(cause), cause);
    ActiveExchange current = exchange;
    if (current == null || current.headSent()) {
      // Nothing has been asked yet, or an answer is under way: the reset says it all.
      letGo();
      return;
    }
    current.closeAfterwards();
    // Without a body, which the reset would overtake.
    current.respond(
        HttpResponseStatus.BAD_REQUEST,
        Headers.create().set(HttpHeaderNames.CACHE_CONTROL, "no-store"));
  }

  /** An exchange failed; one that is over by then harms nobody. */
  void failed(ActiveExchange failed, Failure failure, Throwable cause) {
    if (exchange == failed) {
      failed(failure, cause);
    }
  }

  /**
   * Lets go of everything at once, and ends the line: with an answer where the client waits for one
   * and has got nothing of it.
   */
  private void failed(Failure failure, Throwable cause) {
    if (state == State.CLOSED || Failure.isAftermath(cause, line.context().channel().isOpen())) {
      return;
    }
    line.count(failure, cause);
    ActiveExchange current = exchange;
    boolean waits = current == null ? state == State.IDLE : !current.headSent();
    letGo();
    switch (failure) {
      case PEER, TLS, STALLED -> line.abandon(failure);
      case MEMORY, ERROR -> {
        if (waits) {
          line.answer(failure, current);
        } else {
          line.abandon(failure);
        }
      }
    }
  }

  /**
   * The client sends nothing more, and what it sent is used up. It may still read: a response under
   * way goes on, and {@link #becomeIdle} ends the connection after it.
   */
  private void inputOver() {
    ActiveExchange current = exchange;
    if (state == State.RECEIVING && current != null && !current.headSent()) {
      current.giveUp(new Refusals.Refusal(400, "the request ended before its body was complete"));
    } else if (state != State.RESPONDING || current == null || current.watching()) {
      close();
    }
  }

  private void stalled() {
    ActiveExchange current = exchange;
    if (state == State.RECEIVING && current != null && !current.headSent()) {
      current.giveUp(Refusals.stalledBody(services.limits()));
    } else if (state == State.CLOSED) {
      // Its end has failed, or its client does not take it.
      line.context().close();
    } else if (state != State.IDLE || !line.endIdle()) {
      failed(Failure.STALLED, new IOException("no byte moved"));
    }
  }
}
