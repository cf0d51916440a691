package dev.weir.objects.s3.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection: one exchange at a time, and rest between them. On its event loop, but for run. */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private final ConnectionPool pool;
  private final ConnectionPool.Target target;
  private final HttpLimits limits;
  private @Nullable Channel channel;
  private @Nullable HttpExchange exchange;
  private @Nullable Future<?> timer;

  /** Whether the peer takes another request when this response is over. */
  private boolean isKeptAlive;

  /** Between a 1xx head and its end, which are no response. */
  private boolean isInformational;

  HttpConnection(ConnectionPool pool, ConnectionPool.Target target, HttpLimits limits) {
    this.pool = pool;
    this.target = target;
    this.limits = limits;
  }

  ConnectionPool.Target target() {
    return target;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** From any thread; nothing else runs. */
  void run(HttpExchange next) {
    Channel connected = Objects.requireNonNull(channel);
    try {
      connected.eventLoop().execute(() -> begin(connected, next));
    } catch (RejectedExecutionException e) {
      next.refuse(new IOException("the store is closed", e));
    }
  }

  private void begin(Channel connected, HttpExchange next) {
    stopTimer();
    if (!connected.isActive()) {
      next.refuse(new IOException("the connection was closed while it rested"));
      return;
    }
    exchange = next;
    watchSilence(connected, next);
    next.start(connected);
  }

  /** Closes the connection when nothing has moved for too long. */
  private void watchSilence(Channel connected, HttpExchange running) {
    long silenceNanos = limits.silenceTimeout().toNanos();
    long leftNanos = silenceNanos - running.silenceNanos();
    if (leftNanos <= 0) {
      running.fail(
          new IOException(
              "no byte from %s:%d for %d ms"
                  .formatted(target.host(), target.port(), limits.silenceTimeout().toMillis())));
      return;
    }
    timer =
        connected
            .eventLoop()
            .schedule(() -> watchSilence(connected, running), leftNanos, TimeUnit.NANOSECONDS);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    HttpExchange running = exchange;
    try {
      if (running == null || !(message instanceof HttpObject part)) {
        context.close();
      } else if (part.decoderResult().isFailure()) {
        running.fail(new IOException("no HTTP: " + part.decoderResult().cause()));
      } else {
        read(context, running, part);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(ChannelHandlerContext context, HttpExchange running, HttpObject part) {
    if (part instanceof HttpResponse head) {
      isInformational = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
      isKeptAlive = HttpUtil.isKeepAlive(head);
      if (!isInformational) {
        running.responded(head);
      }
    }
    if (part instanceof HttpContent content && !isInformational) {
      running.received(content.content());
      if (part instanceof LastHttpContent) {
        stopTimer();
        exchange = null;
        boolean mayRest = isKeptAlive && running.isWritten();
        running.receivedAll();
        if (mayRest) {
          // First: who hears of the end may send the next request at once.
          rest(context);
        }
        running.ended();
        if (!mayRest) {
          context.close();
        }
      }
    }
  }

  private void rest(ChannelHandlerContext context) {
    context.channel().config().setAutoRead(true);
    timer =
        context
            .executor()
            .schedule(
                () -> {
                  if (pool.tryWithdraw(this)) {
                    context.close();
                  }
                },
                limits.idleTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
    pool.rest(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stopTimer();
    pool.tryWithdraw(this);
    HttpExchange running = exchange;
    if (running != null) {
      exchange = null;
      running.fail(
          new IOException(
              "%s:%d closed the connection amid a request"
                  .formatted(target.host(), target.port())));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
    HttpExchange running = exchange;
    if (running != null) {
      running.fail(new IOException("the connection broke: " + error, error));
    }
    context.close();
  }

  void close() {
    if (channel != null) {
      channel.close();
    }
  }
}
