package dev.weir.replication.serve;

import dev.weir.netty.log.FailureLog;
import dev.weir.replication.send.BodySender;
import dev.weir.replication.send.BodySource;
import dev.weir.replication.send.PeerProgress;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one connection, one after the other. It reads on when what came has been
 * dealt with, so a slow disk, or a rate, slows the client by TCP.
 *
 * <p>An answer that comes before the end of its request's body is followed by a read of the rest,
 * which nobody takes: a connection that is closed with bytes unread may lose the answer.
 */
final class RequestHandler extends ChannelInboundHandlerAdapter implements Reply {
  private static final FailureLog LOG = new FailureLog(RequestHandler.class);

  /** A body that nobody wants is read to its end, and the connection goes on, up to this. */
  private static final long MOST_UNWANTED_BYTES = 1 << 20;

  private final Services services;
  private final Router router;
  private final boolean zeroCopy;
  private final boolean hasPlace;
  private @Nullable ChannelHandlerContext context;
  private @Nullable BodySender sender;
  private @Nullable PeerProgress progress;
  private @Nullable BodyIntake intake;
  private @Nullable Future<?> idleWatch;
  private long lastNanos;
  private boolean keepAlive;
  private boolean answering;
  private boolean requestEnded = true;
  private boolean paused;
  private boolean isLong;

  RequestHandler(Services services, boolean zeroCopy, boolean hasPlace) {
    this.services = services;
    this.router = new Router(services);
    this.zeroCopy = zeroCopy;
    this.hasPlace = hasPlace;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("not in a pipeline");
    }
    return context;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    lastNanos = System.nanoTime();
    long limitNanos = services.progressLimit().toNanos();
    idleWatch =
        ctx.executor()
            .scheduleAtFixedRate(
                () -> {
                  // It is the client's turn, and it does nothing.
                  boolean waits = !answering || (intake != null && !paused);
                  if (waits && System.nanoTime() - lastNanos > limitNanos) {
                    ctx.close();
                  }
                },
                limitNanos,
                limitNanos,
                TimeUnit.NANOSECONDS);
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpRequest request) {
        requestEnded = false;
        answering = true;
        services.figures().began();
        begin(request);
      }
      if (message instanceof HttpContent content) {
        take(ctx, content);
      }
      readOn(ctx);
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** A read that brought nothing, such as part of a handshake, is forgotten by flow control. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    readOn(ctx);
    ctx.fireChannelReadComplete();
  }

  private void readOn(ChannelHandlerContext ctx) {
    if (!paused && (!requestEnded || !answering)) {
      ctx.read();
    }
  }

  private void begin(HttpRequest request) {
    keepAlive = HttpUtil.isKeepAlive(request) && hasPlace;
    if (request.decoderResult().isFailure()) {
      keepAlive = false;
      requestEnded = true;
      refuse(HttpResponseStatus.BAD_REQUEST, Refusal.REQUEST, "this is no request of HTTP/1.1");
      return;
    }
    isLong =
        HttpUtil.isTransferEncodingChunked(request)
            || HttpUtil.getContentLength(request, 0L) > MOST_UNWANTED_BYTES;
    if (!hasPlace) {
      refuse(
          HttpResponseStatus.SERVICE_UNAVAILABLE,
          Refusal.CONNECTIONS,
          ("all %d connections that the server's budget allows are in use;"
                  + " try again, or give it more --budget")
              .formatted(services.mostConnections()));
      return;
    }
    router.route(this, request);
  }

  private void take(ChannelHandlerContext ctx, HttpContent content) {
    lastNanos = System.nanoTime();
    int bytes = content.content().readableBytes();
    boolean isLast = content instanceof LastHttpContent;
    BodyIntake now = intake;
    if (now != null) {
      try {
        if (content.decoderResult().isFailure()) {
          throw new IOException("the body is no HTTP", content.decoderResult().cause());
        }
        if (bytes > 0) {
          now.accept(content.content());
          pace(ctx, bytes);
        }
        if (isLast) {
          requestEnded = true;
          intake = null;
          now.end();
        }
      } catch (IOException e) {
        intake = null;
        keepAlive = false;
        now.abort();
        Refusals.Answer answer = Refusals.of(e);
        LOG.report("a body is refused", answer.reason() == Refusal.FAILED ? e : null);
        refuse(answer.status(), answer.reason(), answer.text());
      }
    }
    if (isLast) {
      requestEnded = true;
      if (!answering && !keepAlive) {
        ctx.close();
      }
    }
  }

  private void pace(ChannelHandlerContext ctx, int bytes) {
    long waitNanos = services.rate().take(bytes, System.nanoTime());
    if (waitNanos > 0 && !paused) {
      paused = true;
      ctx.executor()
          .schedule(
              () -> {
                paused = false;
                lastNanos = System.nanoTime();
                readOn(ctx);
              },
              waitNanos,
              TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void receive(BodyIntake body) {
    intake = body;
  }

  @Override
  public void send(HttpResponse answer, BodySource source, boolean headOnly) throws IOException {
    ChannelHandlerContext ctx = context();
    BodySender body =
        new BodySender(
            ctx,
            source,
            zeroCopy,
            services.rate(),
            services.figures()::sent,
            end -> sent(ctx, end));
    try {
      body.open();
    } catch (IOException e) {
      source.close();
      throw e;
    }
    ctx.write(answer, ctx.voidPromise());
    sender = body;
    PeerProgress watch =
        new PeerProgress(
            ctx.channel(),
            services.progressLimit(),
            body::isWaiting,
            () -> body.stop(new IOException("the peer takes nothing")));
    progress = watch;
    watch.start();
    if (headOnly) {
      ctx.write(LastHttpContent.EMPTY_LAST_CONTENT, ctx.voidPromise());
      ctx.flush();
      body.stop(null);
    } else {
      body.pump();
    }
  }

  private void sent(ChannelHandlerContext ctx, @Nullable Throwable failure) {
    sender = null;
    if (progress != null) {
      progress.stop();
      progress = null;
    }
    if (failure != null) {
      // The body ends short of its length, so the peer knows.
      LOG.report("a body ended early for " + ctx.channel().remoteAddress(), failure);
      ctx.close();
      return;
    }
    next(ctx);
  }

  private void next(ChannelHandlerContext ctx) {
    if (answering) {
      answering = false;
      services.figures().ended();
    }
    lastNanos = System.nanoTime();
    if (!keepAlive && requestEnded) {
      ctx.close();
    } else if (!paused) {
      ctx.read();
    }
  }

  @Override
  public void refuse(HttpResponseStatus status, Refusal reason, String text) {
    services.figures().refused(reason);
    FullHttpResponse answer = Answers.text(status, text);
    if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
    }
    answer(answer);
  }

  @Override
  public void answer(FullHttpResponse answer) {
    ChannelHandlerContext ctx = context();
    keepAlive &= requestEnded || !isLong;
    if (!keepAlive) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.writeAndFlush(answer)
        .addListener(
            (ChannelFutureListener)
                written -> {
                  if (written.isSuccess()) {
                    next(ctx);
                  } else {
                    ctx.close();
                  }
                });
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (sender != null) {
      sender.pump();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (answering) {
      answering = false;
      services.figures().ended();
    }
    if (idleWatch != null) {
      idleWatch.cancel(false);
    }
    if (intake != null) {
      intake.abort();
      intake = null;
    }
    if (sender != null) {
      sender.stop(new IOException("the peer has closed the connection"));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.report("a connection fails", cause instanceof IOException ? null : cause);
    if (sender != null) {
      sender.stop(cause);
    } else {
      ctx.close();
    }
  }
}
