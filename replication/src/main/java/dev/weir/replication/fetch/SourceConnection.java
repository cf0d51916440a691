package dev.weir.replication.fetch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.replication.fetch.Exchange.Ending;
import dev.weir.replication.net.RateLimit;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the source: one exchange at a time. Parts of bodies are taken on its event loop,
 * while they are in the processor's caches; it reads no further meanwhile, so a slow disk slows the
 * source by TCP, and one receive buffer is all that a connection holds.
 */
final class SourceConnection extends ChannelInboundHandlerAdapter {
  private static final int MOST_TEXT_BYTES = 4 << 10;

  private final String host;
  private final RateLimit rate;
  private final long limitNanos;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Exchange exchange;
  private @Nullable HttpResponse answer;
  private @Nullable StringBuilder text;
  private @Nullable Future<?> watch;
  private long lastNanos;
  private boolean paused;

  SourceConnection(String host, RateLimit rate, Duration progressLimit) {
    this.host = host;
    this.rate = rate;
    this.limitNanos = progressLimit.toNanos();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Begins an exchange; from any thread, when the last one has ended. */
  void begin(Exchange next) {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      next.ended(new Ending.Lost(new IOException("the connection is not open")));
      return;
    }
    ctx.executor().execute(() -> send(ctx, next));
  }

  private void send(ChannelHandlerContext ctx, Exchange next) {
    exchange = next;
    if (!ctx.channel().isActive()) {
      end(new Ending.Lost(new IOException("the source has closed the connection")));
      return;
    }
    lastNanos = System.nanoTime();
    long period = Math.max(TimeUnit.MILLISECONDS.toNanos(5), limitNanos / 4);
    watch = ctx.executor().scheduleAtFixedRate(this::look, period, period, TimeUnit.NANOSECONDS);
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, next.path());
    request.headers().set(HttpHeaderNames.HOST, host);
    next.headers(request.headers());
    ctx.writeAndFlush(request);
  }

  private void look() {
    if (!paused && System.nanoTime() - lastNanos > limitNanos) {
      lose(
          new IOException(
              "the source has sent nothing for %,d ms"
                  .formatted(TimeUnit.NANOSECONDS.toMillis(limitNanos))));
    }
  }

  /** Ends the exchange, and the connection. */
  private void lose(Throwable cause) {
    end(new Ending.Lost(cause));
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.close();
    }
  }

  void close() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.close();
    }
  }

  boolean isOpen() {
    ChannelHandlerContext ctx = context;
    return ctx != null && ctx.channel().isActive();
  }

  private void end(Ending ending) {
    Exchange ended = exchange;
    exchange = null;
    answer = null;
    text = null;
    if (watch != null) {
      watch.cancel(false);
      watch = null;
    }
    if (ended != null) {
      ended.ended(ending);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      Exchange now = exchange;
      if (now == null) {
        ctx.close(); // Nothing was asked.
        return;
      }
      if (message instanceof HttpResponse head) {
        if (head.decoderResult().isFailure()) {
          lose(new IOException("the source's answer is no HTTP", head.decoderResult().cause()));
          return;
        }
        answer = head;
        text = now.accepts(head.status().code(), head.headers()) ? null : new StringBuilder();
      }
      if (message instanceof HttpContent content) {
        take(ctx, now, content);
      }
      lastNanos = System.nanoTime();
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void take(ChannelHandlerContext ctx, Exchange now, HttpContent content) {
    HttpResponse head = answer;
    if (head == null || content.decoderResult().isFailure()) {
      lose(new IOException("the source's answer is no HTTP", content.decoderResult().cause()));
      return;
    }
    int bytes = content.content().readableBytes();
    StringBuilder collected = text;
    if (collected != null) {
      int room = MOST_TEXT_BYTES - collected.length();
      collected.append(
          content
              .content()
              .toString(content.content().readerIndex(), Math.min(room, bytes), UTF_8));
    } else if (bytes > 0) {
      try {
        now.accept(content.content());
      } catch (IOException e) {
        end(new Ending.Failed(e));
        ctx.close();
        return;
      }
      pace(ctx, bytes);
    }
    if (content instanceof LastHttpContent) {
      boolean keep = HttpUtil.isKeepAlive(head);
      if (!keep) {
        ctx.close();
      }
      end(
          collected == null
              ? new Ending.Whole()
              : new Ending.Other(
                  head.status().code(), head.headers(), collected.toString().strip()));
    }
  }

  private void pace(ChannelHandlerContext ctx, int bytes) {
    long waitNanos = rate.take(bytes, System.nanoTime());
    if (waitNanos > 0 && !paused) {
      paused = true;
      ctx.channel().config().setAutoRead(false);
      ctx.executor()
          .schedule(
              () -> {
                paused = false;
                lastNanos = System.nanoTime();
                ctx.channel().config().setAutoRead(true);
              },
              waitNanos,
              TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end(new Ending.Lost(new IOException("the source has closed the connection")));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    lose(cause);
  }
}
