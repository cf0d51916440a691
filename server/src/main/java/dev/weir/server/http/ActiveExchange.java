package dev.weir.server.http;

import dev.weir.netty.write.Owned;
import dev.weir.server.metrics.Conditions;
import dev.weir.server.metrics.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.handler.codec.EncoderException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
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
import org.jspecify.annotations.Nullable;

/**
 * The exchange under way on a connection of HTTP/1 or on a stream of HTTP/2: knows how far its
 * request has come and its response has gone. For the connection's event loop.
 */
final class ActiveExchange implements Exchange {
  static final String RESOURCE_POLICY = "Cross-Origin-Resource-Policy";

  private final Line line;
  private final HttpCarrier carrier;
  private final Services services;
  private final StallGuard guard;
  private final ChannelHandlerContext ctx;
  private final HttpRequest request;
  private final String routeName;
  private final ConnectionMemory memory;
  private final ResponseMemory responseMemory;
  private ExchangeHandler handler;

  /** Whether the line ends with this exchange, be the rest of its request read or not. */
  private boolean last;

  private boolean continueSent;
  private boolean bodyComplete;
  private boolean headSent;
  private boolean watching;
  private boolean over;
  private boolean handlerClosed;

  ActiveExchange(
      Line line, Services services, ConnectionMemory memory, Router router, HttpRequest request) {
    this.line = line;
    this.carrier = line.carrier();
    this.services = services;
    this.guard = carrier.guard();
    this.ctx = line.context();
    this.request = request;
    this.last = line.isLast(request) || router.endsConnections();
    this.routeName = router.routeName(request);
    this.memory = memory;
    this.responseMemory = new ResponseMemory(services, memory, this, guard);
    this.handler = router.unmatched();
  }

  /** Hands the request to what serves it, unless it is refused. */
  void start(Router router, Refusals.@Nullable Refusal refusal) {
    if (refusal != null) {
      giveUp(refusal);
    } else {
      handler = router.route(request);
      handler.start(this);
    }
  }

  /**
   * Hands a piece of the body over to what serves the request, unless that is answered: then the
   * rest must not come to anything, however long the answer takes to be written.
   */
  void receive(HttpContent piece) {
    boolean last = piece instanceof LastHttpContent;
    bodyComplete |= last;
    if (over) {
      piece.release();
      return;
    }
    guard.received(piece.content().readableBytes());
    guard.waiting();
    handler.body(piece.content(), last);
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

  String protocol() {
    return line.protocol();
  }

  /** Refuses a request that will not end, or whose end is unknown; its carrier ends with it. */
  void giveUp(Refusals.Refusal refusal) {
    last = true;
    refuse(refusal.status(), refusal.reason(), EmptyHttpHeaders.INSTANCE);
  }

  boolean bodyComplete() {
    return bodyComplete;
  }

  boolean headSent() {
    return headSent;
  }

  /** Whether whoever carries the exchange ends with it. */
  boolean isLast() {
    return last;
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
    if (over) {
      // Who carries the exchange asks for the rest once the answer is written.
      return;
    }
    if (!continueSent && HttpUtil.is100ContinueExpected(request)) {
      continueSent = true;
      ctx.writeAndFlush(
              new DefaultFullHttpResponse(
                  HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER))
          .addListener(this::written);
    }
    guard.receiving();
    carrier.requestMessage();
  }

  @Override
  public Conditions conditions() {
    return services.metrics().conditions();
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
              if (carrier.underWay() == this) {
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
    int bytes = body.readableBytes();
    boolean hasBody = bytes > 0 && !request.method().equals(HttpMethod.HEAD);
    ChannelFuture written;
    if (hasBody) {
      written = Owned.build(parts -> whole(status, headers, bytes, parts.take(body))).sendTo(ctx);
    } else {
      body.release();
      written = ctx.writeAndFlush(whole(status, headers, bytes, Unpooled.EMPTY_BUFFER));
    }
    noteHead(status, written);
    complete(written);
  }

  private FullHttpResponse whole(
      HttpResponseStatus status, HttpHeaders headers, int bytes, ByteBuf body) {
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
    response.headers().add(headers);
    if (mayHaveLength(status) && !response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes);
    }
    finishHead(response);
    return response;
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
      last |= line.delimit(request, response);
    }
    finishHead(response);
    guard.writing();
    ChannelFuture written = ctx.write(response);
    noteHead(status, written);
    written.addListener(this::headWritten);
  }

  /** A compressor keeps a head until it has seen what follows. */
  private void headWritten(io.netty.util.concurrent.Future<?> done) {
    headSent &= !(done.cause() instanceof EncoderException);
    written(done);
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
    // A request that is refused for its length has none that could be asked for.
    last = last || carrier.isDraining() || !restIsSmall();
    response.headers().set(HttpHeaderNames.DATE, ResponseDate.now());
    response.headers().set("X-Content-Type-Options", "nosniff");
    if (!response.headers().contains(RESOURCE_POLICY)) {
      response.headers().set(RESOURCE_POLICY, "cross-origin");
    }
    line.finishHead(request, response, last);
  }

  /** Notes whether the head is on its way: an encoder without memory has written nothing of it. */
  private void noteHead(HttpResponseStatus status, ChannelFuture written) {
    headSent = !(written.cause() instanceof EncoderException);
    if (headSent) {
      services.metrics().responded(line.protocol(), routeName, status.code());
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
    Owned.build(parts -> new DefaultHttpContent(parts.take(piece)))
        .writeTo(ctx)
        .addListener(this::written);
  }

  /**
   * Not what is encrypted or framed, nor compressed; nor by io_uring, which keeps offsets in 32
   * bits (Netty 4.2.18).
   */
  @Override
  public boolean sendsFiles() {
    return line instanceof Http1Line
        && services.tls() == null
        && ctx.channel() instanceof SocketChannel
        && !(ctx.channel() instanceof IoUringSocketChannel)
        && !request.headers().contains(HttpHeaderNames.ACCEPT_ENCODING);
  }

  @Override
  public void sendFile(FileRegion region, Runnable next) {
    if (over) {
      region.release();
      return;
    }
    services.metrics().served(region.count());
    watching = false;
    guard.writing();
    ctx.writeAndFlush(region)
        .addListener(done -> {
          written(done);
          if (done.isSuccess() && !over) {
            run(next);
          }
        });
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
        carrier.finished(this);
      } else {
        abort(done.cause());
      }
    });
  }

  @Override
  public void closeAfterwards() {
    last = true;
  }

  @Override
  public void abort(Failure failure, Throwable cause) {
    over = true;
    carrier.failed(this, failure, cause);
  }

  @Override
  public void watchForClose() {
    watching = true;
    guard.waiting();
    carrier.readAhead();
  }
}
