package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One connection: takes requests one at a time and reads nothing that it cannot use yet, so that a
 * slow disk or a slow client is felt by the peer, not by the node's memory.
 *
 * <pre>
 *            head            last content, response under way
 *   IDLE ──────────▶ RECEIVING ──────────▶ RESPONDING ──▶ IDLE (or CLOSED)
 *                       │ response sent before the body was complete
 *                       ├──▶ DISCARDING ──▶ IDLE      few bytes left
 *                       └──▶ LINGERING ───▶ CLOSED    many bytes left, framing lost, last response
 * </pre>
 *
 * A client may end its side at any time. What it sent before is served; a live read ends, since its
 * client can no longer be told from one that is gone.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter implements Carrier {
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
  private final StrictRequestDecoder decoder;
  private final StallGuard guard;
  private final SocketProgress output = new SocketProgress();
  private State state = State.IDLE;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ActiveExchange exchange;
  private @Nullable Object readAhead;
  private boolean messageWanted;
  private boolean inputEnded;
  private boolean draining;
  private long discardedBytes;

  HttpConnection(
      Services services, ConnectionMemory memory, Router router, StrictRequestDecoder decoder) {
    this.decoder = decoder;
    this.services = services;
    this.memory = memory;
    this.router = router;
    this.guard = new StallGuard(services.limits(), this, () -> run(this::stalled));
  }

  @Override
  public boolean outputMoves() {
    ChannelHandlerContext ctx = context;
    return ctx != null && output.hasMoved(ctx.channel());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    guard.start(ctx.executor());
    requestMessage(ctx);
  }

  /** Asks for one more message, however many reads of the socket it takes. */
  @Override
  public void requestMessage(ChannelHandlerContext ctx) {
    messageWanted = true;
    ctx.read();
    if (messageWanted && inputEnded) {
      // What had come before the end is used up.
      inputOver(ctx);
    }
  }

  /** Asks for a message that the exchange under way does not need, to see the client's end. */
  @Override
  public void readAhead(ChannelHandlerContext ctx) {
    if (readAhead == null) {
      requestMessage(ctx);
    }
  }

  @Override
  public @Nullable ActiveExchange underWay() {
    return exchange;
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (messageWanted && !inputEnded) {
      // The socket gave bytes, but not enough for a message.
      ctx.read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    messageWanted = false;
    guard.progress();
    if (state == State.RESPONDING) {
      // Watching for the client's end found the next request instead: it has to wait.
      readAhead = message;
      return;
    }
    handle(ctx, message);
  }

  private void handle(ChannelHandlerContext ctx, Object message) {
    switch (state) {
      case IDLE -> {
        if (message instanceof HttpRequest request) {
          begin(ctx, request);
        } else {
          // The end of a request that was refused for its framing.
          ReferenceCountUtil.release(message);
        }
      }
      case RECEIVING -> receive((HttpContent) message);
      case DISCARDING, LINGERING -> discard(ctx, message);
      case RESPONDING, CLOSED -> ReferenceCountUtil.release(message);
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    ActiveExchange started = open(ctx, request);
    Refusals.Refusal refusal = RequestCheck.refuse(request);
    if (refusal != null) {
      ReferenceCountUtil.release(request);
    }
    started.start(router, refusal);
  }

  private ActiveExchange open(ChannelHandlerContext ctx, HttpRequest request) {
    Framing framing = new Http1Framing(request);
    ActiveExchange opened =
        new ActiveExchange(this, framing, services, memory, guard, router, ctx, request);
    exchange = opened;
    state = State.RECEIVING;
    guard.waiting();
    return opened;
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
      readAhead(current.context());
    }
  }

  private void discard(ChannelHandlerContext ctx, Object message) {
    boolean last = message instanceof LastHttpContent;
    if (message instanceof HttpContent content) {
      int bytes = content.content().readableBytes();
      discardedBytes += bytes;
      guard.received(bytes);
    }
    ReferenceCountUtil.release(message);
    if (state == State.DISCARDING && last) {
      becomeIdle(ctx);
    } else if (discardedBytes > HalfClose.MAX_DROPPED_BYTES) {
      ctx.close();
    } else {
      requestMessage(ctx);
    }
  }

  /** The response is written: goes on with the next request, or ends the connection well. */
  @Override
  public void finished(ActiveExchange done) {
    if (exchange == done) {
      run(() -> goOnAfter(done));
    }
  }

  private void goOnAfter(ActiveExchange done) {
    exchange = null;
    discardedBytes = 0;
    ChannelHandlerContext ctx = done.context();
    if (done.isLast()) {
      linger(ctx);
    } else if (done.bodyComplete()) {
      becomeIdle(ctx);
    } else {
      state = State.DISCARDING;
      guard.receiving();
      requestMessage(ctx);
    }
  }

  private void linger(ChannelHandlerContext ctx) {
    state = State.LINGERING;
    ReferenceCountUtil.release(readAhead);
    readAhead = null;
    if (HalfClose.begin(ctx)) {
      requestMessage(ctx);
    }
  }

  private void becomeIdle(ChannelHandlerContext ctx) {
    state = State.IDLE;
    guard.idle();
    Object next = readAhead;
    readAhead = null;
    if (next != null) {
      handle(ctx, next);
    } else if (draining) {
      // It was not told so: the next request may be on its way.
      linger(ctx);
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

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      if (messageWanted) {
        inputOver(ctx);
      }
    } else if (event instanceof ChannelOutputShutdownEvent && state != State.LINGERING) {
      // Not this class's doing: a write failed, and no other can follow it.
      ctx.close();
    } else if (event == Signal.DRAIN) {
      draining = true;
      ActiveExchange current = exchange;
      if (current != null) {
        current.handler().drain();
      } else if (state == State.IDLE) {
        ctx.close();
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  /** The client speaks HTTP/2, or the connection is gone. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    guard.stop();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    state = State.CLOSED;
    guard.stop();
    ReferenceCountUtil.release(readAhead);
    readAhead = null;
    ActiveExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.closeHandler();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    failed(ctx, Failure.of(cause), cause);
  }

  /** Runs what nobody calls who could handle its failure. */
  private void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      ChannelHandlerContext ctx = context;
      if (ctx != null) {
        failed(ctx, Failure.of(failure), failure);
      }
    }
  }

  /** An exchange failed; one that is over by then harms nobody. */
  @Override
  public void failed(ActiveExchange failed, Failure failure, Throwable cause) {
    if (exchange == failed) {
      failed(failed.context(), failure, cause);
    }
  }

  /**
   * Lets go of everything at once, and ends the connection: with an answer where the client waits
   * for one and has got nothing of it.
   */
  private void failed(ChannelHandlerContext ctx, Failure failure, Throwable cause) {
    if (state == State.CLOSED || Failure.isAftermath(cause, ctx.channel().isOpen())) {
      return;
    }
    // The client may not take the answer.
    guard.writing();
    services.metrics().connectionFailed(failure, cause);
    ActiveExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.closeHandler();
    }
    boolean waits = current == null ? state == State.IDLE : !current.headSent();
    if (failure == Failure.PEER || failure == Failure.TLS || !waits) {
      ctx.close();
      return;
    }
    state = State.LINGERING;
    FixedAnswer.to(failure, services.metrics(), Http1Framing.PROTOCOL, current)
        .sendPastEncoder(ctx)
        .addListener(written -> {
          if (written.isSuccess()) {
            run(() -> linger(ctx));
          } else {
            ctx.close();
          }
        });
  }

  /**
   * The client sends nothing more, and what it sent is used up. It may still read: a response under
   * way goes on, and {@link #becomeIdle} ends the connection after it.
   */
  private void inputOver(ChannelHandlerContext ctx) {
    ActiveExchange current = exchange;
    if (state == State.RECEIVING && current != null && !current.headSent()) {
      current.giveUp(new Refusals.Refusal(400, "the request ended before its body was complete"));
    } else if (state != State.RESPONDING || current == null || current.watching()) {
      ctx.close();
    }
  }

  private void stalled() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    ActiveExchange current = exchange;
    if (state == State.IDLE && decoder.isHalfway()) {
      // There is no request yet: a stand-in carries the answer.
      current = open(ctx, new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "*"));
      current.giveUp(
          Refusals.tooSlow("the headers were not complete", services.limits().idleTimeout()));
    } else if (state == State.RECEIVING && current != null && !current.headSent()) {
      current.giveUp(Refusals.stalledBody(services.limits()));
    } else {
      if (state != State.IDLE
          || ProtocolSwitch.isHalfway(ctx.channel())
          || TlsSession.isHalfway(ctx.channel())) {
        services.metrics().connectionFailed(Failure.STALLED, new IOException("no byte moved"));
      }
      ctx.close();
    }
  }
}
