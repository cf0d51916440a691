package dev.weir.server.http;

import dev.weir.netty.flow.StreamIntake;
import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a connection: carries one exchange, and ends it without harm to the others.
 *
 * <pre>
 *   OPENED ──head──▶ RECEIVING ──last content──▶ RESPONDING ──response written──▶ CLOSED
 *                       │ response written before the body was complete
 *                       └──▶ DISCARDING ──────▶ CLOSED      its end, or too many: reset
 * </pre>
 */
final class Http2Exchange extends ChannelInboundHandlerAdapter implements Carrier {
  private enum State {
    OPENED,
    RECEIVING,
    RESPONDING,
    DISCARDING,
    CLOSED
  }

  private final Services services;
  private final Http2Session session;
  private final Router router;
  private final StreamIntake input;
  private final StallGuard guard;
  private final SocketProgress output = new SocketProgress();
  private State state = State.OPENED;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ActiveExchange exchange;
  private boolean admitted;

  /** Whether it has no place, and one of those in which refusals wait for their ends. */
  private boolean refused;

  private long discardedBytes;

  /** What had come of all bodies of the connection when this one was looked at last. */
  private long seenBytes;

  /** The end of a stream that is given a moment. */
  private @Nullable Future<?> ending;

  Http2Exchange(Services services, Http2Session session, Router router, StreamIntake input) {
    this.services = services;
    this.session = session;
    this.router = router;
    this.input = input;
    this.guard = new StallGuard(services.limits(), this, () -> run(this::stalled));
  }

  @Override
  public boolean outputMoves() {
    ChannelHandlerContext ctx = context;
    return ctx != null && output.hasMoved(ctx.channel().parent());
  }

  @Override
  public boolean mayRespond() {
    ChannelHandlerContext ctx = context;
    // Then the stream waits for its turn.
    return ctx != null && session.hasWindow(id(ctx));
  }

  @Override
  public boolean clientAwaitsWindow() {
    ChannelHandlerContext ctx = context;
    long sinceBytes = seenBytes;
    seenBytes = session.receivedBytes();
    return ctx != null && session.clientAwaitsWindow(id(ctx), sinceBytes);
  }

  @Override
  public long unreadNanos() {
    return input.unreadNanos();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    admitted = session.opened(id(ctx), this);
    guard.start(ctx.executor());
  }

  private static int id(ChannelHandlerContext ctx) {
    return ((Http2StreamChannel) ctx.channel()).stream().id();
  }

  /** Bytes of the stream are on their way to the socket: its windows had room for them. */
  void sent() {
    guard.progress();
  }

  /** {@link Http2Session#receivedBytes} at the last look at this stream. */
  long seenBytes() {
    return seenBytes;
  }

  /** The client, which had used up its window, has heard of more. */
  void windowHeard() {
    guard.windowHeard();
  }

  @Override
  public void requestMessage(ChannelHandlerContext ctx) {
    input.request();
  }

  /** A stream whose client has gone is closed, whether anything is read of it or not. */
  @Override
  public void readAhead(ChannelHandlerContext ctx) {}

  @Override
  public @Nullable ActiveExchange underWay() {
    return exchange;
  }

  /** The connection tells its client when it is. */
  @Override
  public boolean isDraining() {
    return false;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (state) {
      case OPENED -> begin(ctx, (HttpRequest) message);
      case RECEIVING -> receive((HttpContent) message);
      case DISCARDING -> discard(ctx, (HttpContent) message);
      case RESPONDING, CLOSED -> ReferenceCountUtil.release(message);
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    if (!admitted && !services.refusals().tryTake()) {
      // No more heads are kept for answers that clients may not take.
      reset(ctx, Http2Error.REFUSED_STREAM);
      return;
    }
    refused = !admitted;
    ActiveExchange opened = open(ctx, request);
    if (refused) {
      opened.closeAfterwards();
      opened.refuse(
          503, FixedAnswer.TOO_MANY, Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1"));
      // What it sends has no place either, nor what it does not take of the answer.
      input.drop();
      resetLater(ctx);
      return;
    }
    opened.start(router, RequestCheck.refuse(request));
    if (session.isDraining()) {
      drain();
    }
  }

  private ActiveExchange open(ChannelHandlerContext ctx, HttpRequest request) {
    ActiveExchange opened =
        new ActiveExchange(
            this, new Http2Framing(), services, session.memory(), guard, router, ctx, request);
    exchange = opened;
    state = State.RECEIVING;
    guard.waiting();
    return opened;
  }

  private void receive(HttpContent piece) {
    ActiveExchange current = exchange;
    if (current == null) {
      piece.release();
      return;
    }
    if (piece instanceof LastHttpContent) {
      state = State.RESPONDING;
    }
    current.receive(piece);
  }

  @Override
  public void finished(ActiveExchange done) {
    if (exchange == done) {
      exchange = null;
      run(() -> goOnAfter(done));
    }
  }

  private void goOnAfter(ActiveExchange done) {
    ChannelHandlerContext ctx = done.context();
    if (done.bodyComplete() || input.isComplete()) {
      close(ctx);
      return;
    }
    state = State.DISCARDING;
    guard.receiving();
    if (done.isLast()) {
      dropTheRest(ctx);
    } else {
      requestMessage(ctx);
    }
  }

  /**
   * Takes what is under way, one window at most, before it resets the stream: frames that come
   * after that are errors to the codec, and each would be answered.
   */
  private void dropTheRest(ChannelHandlerContext ctx) {
    input.drop();
    resetLater(ctx);
  }

  /**
   * Ends a stream whose answer may wait for the client's window, or for its reading, for ever; one
   * that has ended is not kept for it.
   */
  private void resetLater(ChannelHandlerContext ctx) {
    if (ctx.channel().isOpen() && ending == null) {
      ending =
          ctx.executor()
              .schedule(
                  () -> reset(ctx, Http2Error.NO_ERROR),
                  HttpLimits.LINGER.toMillis(),
                  TimeUnit.MILLISECONDS);
    }
  }

  private void discard(ChannelHandlerContext ctx, HttpContent piece) {
    int bytes = piece.content().readableBytes();
    piece.release();
    discardedBytes += bytes;
    guard.received(bytes);
    if (piece instanceof LastHttpContent) {
      close(ctx);
    } else if (discardedBytes > HttpLimits.MAX_DISCARDED_BYTES) {
      dropTheRest(ctx);
    } else {
      requestMessage(ctx);
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

  /** The node is being stopped: ends what waits for events. */
  void drain() {
    ActiveExchange current = exchange;
    if (current != null) {
      run(() -> current.handler().drain());
    }
  }

  /** The client sends nothing more, on any stream: what has come whole is answered. */
  void inputOver() {
    ChannelHandlerContext ctx = context;
    ActiveExchange current = exchange;
    if (ctx != null && (!input.isComplete() || (current != null && current.watching()))) {
      close(ctx);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2ResetFrame) {
      letGo();
      closeBehindReset(ctx);
    }
    ReferenceCountUtil.release(event);
  }

  /**
   * Not before the codec has counted it, or it would be answered with another (RFC 9113, 5.4.2).
   */
  private static void closeBehindReset(ChannelHandlerContext ctx) {
    ctx.executor().execute(ctx::close);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    guard.stop();
    letGo();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    guard.stop();
    letGo();
    session.closed(id(ctx));
  }

  private void letGo() {
    state = State.CLOSED;
    // Its client may not take the end.
    guard.writing();
    if (admitted) {
      // Streams that are reset may be many before the first of their channels is taken apart.
      admitted = false;
      session.leavesItsPlace();
    }
    if (refused) {
      refused = false;
      services.refusals().giveBack();
    }
    Future<?> timer = ending;
    ending = null;
    if (timer != null) {
      timer.cancel(false);
    }
    ActiveExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.closeHandler();
    }
  }

  private void close(ChannelHandlerContext ctx) {
    letGo();
    ctx.close();
  }

  private void reset(ChannelHandlerContext ctx, Http2Error reason) {
    letGo();
    ctx.writeAndFlush(new DefaultHttp2ResetFrame(reason));
    ctx.close();
  }

  /** Runs what nobody calls who could handle its failure. */
  private void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      ChannelHandlerContext ctx = context;
      if (ctx != null) {
        exceptionCaught(ctx, failure);
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof Http2Exception) {
      malformed(cause);
    } else {
      failed(ctx, Failure.of(cause), cause);
    }
  }

  /** The connection tells of what is wrong with the stream's frames before it resets the stream. */
  private void malformed(Throwable cause) {
    if (state == State.CLOSED) {
      return;
    }
    services.metrics().streamFailed(Failure.of(cause), cause);
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

  @Override
  public void failed(ActiveExchange failed, Failure failure, Throwable cause) {
    if (exchange == failed) {
      failed(failed.context(), failure, cause);
    }
  }

  /**
   * Lets go of everything at once, and ends the stream: with an answer where the client waits for
   * one and has got nothing of it.
   */
  private void failed(ChannelHandlerContext ctx, Failure failure, Throwable cause) {
    if (state == State.CLOSED || Failure.isAftermath(cause, ctx.channel().isOpen())) {
      return;
    }
    services.metrics().streamFailed(failure, cause);
    ActiveExchange current = exchange;
    boolean waits = current == null ? state == State.OPENED : !current.headSent();
    letGo();
    boolean clients = failure == Failure.PEER || failure == Failure.STALLED;
    if (clients || !waits) {
      reset(ctx, clients ? Http2Error.CANCEL : Http2Error.INTERNAL_ERROR);
      return;
    }
    input.drop();
    resetLater(ctx);
    FixedAnswer answer =
        FixedAnswer.to(failure, services.metrics(), Http2Framing.PROTOCOL, current);
    ctx.writeAndFlush(answer.message())
        .addListener(written ->
            reset(ctx, written.isSuccess() ? Http2Error.NO_ERROR : Http2Error.INTERNAL_ERROR));
  }

  private void stalled() {
    ActiveExchange current = exchange;
    if (state == State.CLOSED && context != null) {
      // Its end has failed, or its client does not take it.
      context.close();
    } else if (state == State.RECEIVING && current != null && !current.headSent()) {
      current.giveUp(Refusals.stalledBody(services.limits()));
    } else if (context != null) {
      failed(context, Failure.STALLED, new IOException("no byte moved"));
    }
  }
}
