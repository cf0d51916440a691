package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
 *                       └──▶ LINGERING ───▶ CLOSED    many bytes left, or framing lost
 * </pre>
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
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
  private final Router router;
  private final StallGuard guard;
  private State state = State.IDLE;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ActiveExchange exchange;
  private @Nullable Object readAhead;
  private boolean messageWanted;
  private boolean draining;
  private boolean bodyComplete;
  private long discardedBytes;

  HttpConnection(Services services, Router router) {
    this.services = services;
    this.router = router;
    this.guard = new StallGuard(services.limits(), this::stalled);
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
  private void requestMessage(ChannelHandlerContext ctx) {
    messageWanted = true;
    ctx.read();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (messageWanted) {
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
    ActiveExchange started = new ActiveExchange(ctx, request);
    exchange = started;
    bodyComplete = false;
    state = State.RECEIVING;
    guard.waiting();
    if (request.decoderResult().isFailure()) {
      bodyComplete = true;
      started.closeAfterwards();
      Refusals.Refusal refusal = Refusals.of(request.decoderResult().cause());
      ReferenceCountUtil.release(request);
      started.refuse(refusal.status(), refusal.reason(), EmptyHttpHeaders.INSTANCE);
      return;
    }
    started.handler = router.route(request);
    started.handler.start(started);
  }

  private void receive(HttpContent content) {
    ActiveExchange current = exchange;
    if (current == null || content.decoderResult().isFailure()) {
      content.release();
      if (current != null) {
        bodyComplete = true;
        current.closeAfterwards();
        current.refuse(400, "the body's chunks are malformed", EmptyHttpHeaders.INSTANCE);
      }
      return;
    }
    boolean last = content instanceof LastHttpContent;
    guard.waiting();
    if (last) {
      bodyComplete = true;
      state = State.RESPONDING;
    }
    current.handler.body(content.content(), last);
  }

  private void discard(ChannelHandlerContext ctx, Object message) {
    boolean last = message instanceof LastHttpContent;
    if (message instanceof HttpContent content) {
      discardedBytes += content.content().readableBytes();
    }
    ReferenceCountUtil.release(message);
    if (state == State.DISCARDING && last) {
      becomeIdle(ctx);
    } else if (discardedBytes > HttpLimits.MAX_DISCARDED_BYTES * 64) {
      ctx.close();
    } else {
      requestMessage(ctx);
    }
  }

  /** The response is written: goes on with the next request, or ends the connection well. */
  private void finished(ActiveExchange done) {
    if (exchange != done) {
      return;
    }
    exchange = null;
    discardedBytes = 0;
    ChannelHandlerContext ctx = done.ctx;
    if (bodyComplete && !done.lastOnConnection) {
      becomeIdle(ctx);
    } else if (bodyComplete && !done.framingLost()) {
      state = State.CLOSED;
      ctx.close();
    } else if (!done.lastOnConnection) {
      state = State.DISCARDING;
      guard.receiving();
      requestMessage(ctx);
    } else {
      linger(ctx);
    }
  }

  /**
   * Closing a socket with unread bytes resets it, and may take the response from the client. So
   * this side ends first, and reads on for a moment.
   */
  private void linger(ChannelHandlerContext ctx) {
    state = State.LINGERING;
    if (ctx.channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    }
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
    requestMessage(ctx);
  }

  private void becomeIdle(ChannelHandlerContext ctx) {
    state = State.IDLE;
    guard.idle();
    Object next = readAhead;
    readAhead = null;
    if (next != null) {
      handle(ctx, next);
    } else if (draining) {
      ctx.close();
    } else {
      requestMessage(ctx);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    guard.progress();
    ActiveExchange current = exchange;
    if (current != null && ctx.channel().isWritable()) {
      current.handler.writable();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == Signal.DRAIN) {
      draining = true;
      ActiveExchange current = exchange;
      if (current != null) {
        current.handler.drain();
      } else if (state == State.IDLE) {
        ctx.close();
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
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
    // Resets and the like are the client's business; what is ours is counted and seen there.
    services.metrics().connectionFailed(cause);
    ctx.close();
  }

  private void stalled() {
    ActiveExchange current = exchange;
    if (current != null && state == State.RECEIVING && !current.headSent) {
      current.closeAfterwards();
      current.refuse(
          408,
          "the request did not go on for " + services.limits().stallTimeout().toSeconds() + " s",
          EmptyHttpHeaders.INSTANCE);
    } else if (current != null) {
      current.ctx.close();
    } else if (context != null) {
      context.close();
    }
  }

  /** The exchange under way. */
  private final class ActiveExchange implements Exchange {
    private final ChannelHandlerContext ctx;
    private final HttpRequest request;
    private ExchangeHandler handler = router.unmatched();
    private boolean continueSent;
    private boolean headSent;
    private boolean lastOnConnection;
    private boolean over;
    private boolean handlerClosed;

    ActiveExchange(ChannelHandlerContext ctx, HttpRequest request) {
      this.ctx = ctx;
      this.request = request;
      this.lastOnConnection = !HttpUtil.isKeepAlive(request);
    }

    void closeHandler() {
      if (!handlerClosed) {
        handlerClosed = true;
        handler.close();
      }
    }

    boolean framingLost() {
      return request.decoderResult().isFailure();
    }

    @Override
    public HttpRequest request() {
      return request;
    }

    @Override
    public ByteBufAllocator allocator() {
      return ctx.alloc();
    }

    @Override
    public long contentLength() {
      return HttpUtil.isTransferEncodingChunked(request)
          ? -1
          : HttpUtil.getContentLength(request, 0L);
    }

    @Override
    public void readBody() {
      if (!continueSent && HttpUtil.is100ContinueExpected(request)) {
        continueSent = true;
        ctx.writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
      }
      guard.receiving();
      requestMessage(ctx);
    }

    @Override
    public void onLoop(Runnable action) {
      ctx.executor().execute(action);
    }

    @Override
    public Future<?> schedule(Runnable action, long delay, TimeUnit unit) {
      return ctx.executor()
          .schedule(
              () -> {
                if (exchange == this) {
                  action.run();
                }
              },
              delay,
              unit);
    }

    @Override
    public void respond(HttpResponseStatus status, HttpHeaders headers) {
      respond(status, headers, Unpooled.EMPTY_BUFFER);
    }

    @Override
    public void respond(HttpResponseStatus status, HttpHeaders headers, ByteBuf body) {
      if (headSent || over) {
        body.release();
        return;
      }
      boolean bodyAllowed = !request.method().equals(HttpMethod.HEAD);
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, status, bodyAllowed ? body : Unpooled.EMPTY_BUFFER);
      response.headers().add(headers);
      if (mayHaveLength(status) && !response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
      }
      if (!bodyAllowed) {
        body.release();
      }
      finishHead(response);
      complete(ctx.writeAndFlush(response));
    }

    @Override
    public void refuse(int status, String reason, HttpHeaders headers) {
      HttpHeaders all =
          Headers.create()
              .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
              .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
              .add(headers);
      ByteBuf line =
          ByteBufUtil.encodeString(
              ctx.alloc(), CharBuffer.wrap(reason + "\n"), StandardCharsets.UTF_8);
      respond(HttpResponseStatus.valueOf(status), all, line);
    }

    @Override
    public void begin(HttpResponseStatus status, HttpHeaders headers) {
      HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
      response.headers().add(headers);
      if (!response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
        if (request.protocolVersion().isKeepAliveDefault()) {
          HttpUtil.setTransferEncodingChunked(response, /* chunked= */ true);
        } else {
          // HTTP/1.0 knows the end of such a body by the end of the connection.
          lastOnConnection = true;
        }
      }
      finishHead(response);
      ctx.write(response, ctx.voidPromise());
      guard.writing();
    }

    private boolean mayHaveLength(HttpResponseStatus status) {
      return !status.equals(HttpResponseStatus.NO_CONTENT)
          && !status.equals(HttpResponseStatus.NOT_MODIFIED);
    }

    private void finishHead(HttpResponse response) {
      headSent = true;
      boolean bigRest =
          !bodyComplete
              && (contentLength() < 0
                  || contentLength() > HttpLimits.MAX_DISCARDED_BYTES
                  || (HttpUtil.is100ContinueExpected(request) && !continueSent));
      lastOnConnection |= draining || bigRest;
      response
          .headers()
          .set("X-Content-Type-Options", "nosniff")
          .set("Cross-Origin-Resource-Policy", "cross-origin");
      if (lastOnConnection) {
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      } else if (!request.protocolVersion().isKeepAliveDefault()) {
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
      }
      services.metrics().responded(router.routeName(request), response.status().code());
    }

    @Override
    public void write(ByteBuf piece) {
      if (over) {
        piece.release();
        return;
      }
      int bytes = piece.readableBytes();
      services.metrics().served(bytes);
      ctx.write(new DefaultHttpContent(piece)).addListener(written -> guard.progress());
    }

    @Override
    public void flush() {
      ctx.flush();
    }

    @Override
    public boolean isWritable() {
      return ctx.channel().isWritable();
    }

    @Override
    public void end() {
      if (!over) {
        complete(ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
      }
    }

    private void complete(ChannelFuture written) {
      over = true;
      guard.writing();
      written.addListener(done -> {
        closeHandler();
        if (done.isSuccess()) {
          finished(this);
        } else {
          ctx.close();
        }
      });
    }

    @Override
    public void closeAfterwards() {
      lastOnConnection = true;
    }

    @Override
    public void abort(Throwable cause) {
      services.metrics().connectionFailed(cause);
      ctx.close();
    }

    @Override
    public void watchForClose() {
      guard.waiting();
      if (readAhead == null) {
        requestMessage(ctx);
      }
    }
  }
}
