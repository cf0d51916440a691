package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.EncoderException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
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
import java.net.SocketAddress;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The exchange under way on a connection: knows how its response ends, and whether the connection
 * can go on afterwards. For the connection's event loop.
 */
final class ActiveExchange implements Exchange {
  static final String RESOURCE_POLICY = "Cross-Origin-Resource-Policy";

  private final HttpConnection connection;
  private final Services services;
  private final StallGuard guard;
  private final ChannelHandlerContext ctx;
  private final HttpRequest request;
  private final String routeName;
  private final ConnectionMemory memory;
  private final ResponseMemory responseMemory;
  private ExchangeHandler handler;
  private boolean continueSent;
  private boolean bodyComplete;
  private boolean headSent;
  private boolean watching;
  private boolean lastOnConnection;
  private boolean over;
  private boolean handlerClosed;

  ActiveExchange(
      HttpConnection connection,
      Services services,
      ConnectionMemory memory,
      StallGuard guard,
      Router router,
      ChannelHandlerContext ctx,
      HttpRequest request) {
    this.connection = connection;
    this.services = services;
    this.guard = guard;
    this.ctx = ctx;
    this.request = request;
    this.routeName = router.routeName(request);
    this.memory = memory;
    this.responseMemory = new ResponseMemory(services, memory, this, guard);
    this.handler = router.unmatched();
    this.lastOnConnection = !HttpUtil.isKeepAlive(request);
  }

  /** Hands the request to what serves it. */
  void start(ExchangeHandler server) {
    handler = server;
    server.start(this);
  }

  ChannelHandlerContext context() {
    return ctx;
  }

  ExchangeHandler handler() {
    return handler;
  }

  /** Lets go of everything that is held for the exchange. */
  void closeHandler() {
    if (!handlerClosed) {
      handlerClosed = true;
      responseMemory.close();
      handler.close();
    }
  }

  String routeName() {
    return routeName;
  }

  /** Refuses a request that will not end, or whose end is unknown; the connection ends with it. */
  void giveUp(Refusals.Refusal refusal) {
    lastOnConnection = true;
    refuse(refusal.status(), refusal.reason(), EmptyHttpHeaders.INSTANCE);
  }

  void bodyCompleted() {
    bodyComplete = true;
  }

  boolean bodyComplete() {
    return bodyComplete;
  }

  boolean headSent() {
    return headSent;
  }

  boolean lastOnConnection() {
    return lastOnConnection;
  }

  /** Whether the client's end is the end of the exchange, since it waits for news only. */
  boolean watching() {
    return watching;
  }

  @Override
  public HttpRequest request() {
    return request;
  }

  @Override
  public SocketAddress peer() {
    return ctx.channel().remoteAddress();
  }

  @Override
  public String scheme() {
    return services.tls() == null ? "http" : "https";
  }

  @Override
  public ByteBufAllocator allocator() {
    return memory.responses();
  }

  @Override
  public ByteBufAllocator uploads() {
    return memory.uploads();
  }

  @Override
  public void allocate(int bytes, Consumer<ByteBuf> use) {
    responseMemory.allocate(bytes, use);
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
                  HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER))
          .addListener(this::written);
    }
    guard.receiving();
    connection.requestMessage(ctx);
  }

  @Override
  public void onLoop(Runnable action) {
    ctx.executor().execute(() -> run(action));
  }

  /** No failure of a task gets lost: the client would wait for ever. */
  private void run(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      abort(failure);
    }
  }

  @Override
  public Future<?> schedule(Runnable action, long delay, TimeUnit unit) {
    return ctx.executor()
        .schedule(
            () -> {
              if (connection.isUnderWay(this)) {
                run(action);
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
    ChannelFuture written = ctx.writeAndFlush(response);
    noteHead(response, written);
    complete(written);
  }

  @Override
  public void refuse(int status, String reason, HttpHeaders headers) {
    if (headSent || over) {
      return;
    }
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
    guard.writing();
    ChannelFuture written = ctx.write(response);
    noteHead(response, written);
    written.addListener(this::written);
  }

  private boolean mayHaveLength(HttpResponseStatus status) {
    return !status.equals(HttpResponseStatus.NO_CONTENT)
        && !status.equals(HttpResponseStatus.NOT_MODIFIED);
  }

  /** Whether what is still to come of the body is worth reading, to keep the connection. */
  private boolean restIsSmall() {
    if (bodyComplete) {
      return true;
    }
    boolean clientWaits = HttpUtil.is100ContinueExpected(request) && !continueSent;
    long length = contentLength();
    return !clientWaits && length >= 0 && length <= HttpLimits.MAX_DISCARDED_BYTES;
  }

  private void finishHead(HttpResponse response) {
    headSent = true;
    watching = false;
    if (!lastOnConnection) {
      lastOnConnection = connection.isDraining() || !restIsSmall();
    }
    response.headers().set("X-Content-Type-Options", "nosniff");
    if (!response.headers().contains(RESOURCE_POLICY)) {
      response.headers().set(RESOURCE_POLICY, "cross-origin");
    }
    if (lastOnConnection) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!request.protocolVersion().isKeepAliveDefault()) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  /** Notes whether the head is on its way: an encoder without memory has written nothing of it. */
  private void noteHead(HttpResponse response, ChannelFuture written) {
    headSent = !(written.cause() instanceof EncoderException);
    if (headSent) {
      services.metrics().responded(routeName, response.status().code());
    }
  }

  @Override
  public void write(ByteBuf piece) {
    if (!over) {
      services.metrics().served(piece.readableBytes());
    }
    push(piece);
  }

  @Override
  public void push(ByteBuf piece) {
    if (over) {
      piece.release();
      return;
    }
    watching = false;
    // From here on the client has to read.
    guard.writing();
    ctx.write(new DefaultHttpContent(piece)).addListener(this::written);
  }

  /** A response with a piece missing must not go on. */
  private void written(io.netty.util.concurrent.Future<?> done) {
    guard.progress();
    Throwable failure = done.cause();
    if (failure != null) {
      abort(failure);
    }
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
      if (done.isSuccess()) {
        closeHandler();
        connection.finished(this);
      } else {
        abort(done.cause());
      }
    });
  }

  @Override
  public void closeAfterwards() {
    lastOnConnection = true;
  }

  @Override
  public void abort(Failure failure, Throwable cause) {
    over = true;
    connection.failed(this, failure, cause);
  }

  @Override
  public void watchForClose() {
    watching = true;
    guard.waiting();
    connection.readAhead(ctx);
  }
}
