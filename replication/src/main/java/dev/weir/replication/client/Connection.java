package dev.weir.replication.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.send.BodySender;
import dev.weir.replication.send.PeerProgress;
import dev.weir.replication.source.SourceException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
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
 * A connection to a server: one exchange at a time. Parts of bodies are taken on its event loop,
 * while they are in the processor's caches; it reads no further meanwhile, so a slow disk slows the
 * server by TCP, and one receive buffer is all that a connection holds.
 */
public final class Connection extends ChannelInboundHandlerAdapter {
  private static final int MOST_TEXT_BYTES = 64 << 10;

  private final String host;
  private final RateLimit rate;
  private final Duration limit;
  private final long limitNanos;
  private final boolean zeroCopy;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Exchange exchange;
  private @Nullable HttpResponse answer;
  private @Nullable StringBuilder text;
  private @Nullable Future<?> watch;
  private @Nullable BodySender sender;
  private @Nullable PeerProgress sending;
  private long lastNanos;
  private boolean paused;

  Connection(String host, RateLimit rate, Duration progressLimit, boolean zeroCopy) {
    this.host = host;
    this.rate = rate;
    this.limit = progressLimit;
    this.limitNanos = progressLimit.toNanos();
    this.zeroCopy = zeroCopy;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Begins an exchange; from any thread, when the last one has ended. */
  public void begin(Exchange next) {
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
      end(new Ending.Lost(new IOException("the server has closed the connection")));
      return;
    }
    lastNanos = System.nanoTime();
    long period = Math.max(TimeUnit.MILLISECONDS.toNanos(5), limitNanos / 4);
    watch = ctx.executor().scheduleAtFixedRate(this::look, period, period, TimeUnit.NANOSECONDS);
    try {
      write(ctx, next, next.body());
    } catch (IOException e) {
      end(new Ending.Failed(e));
      ctx.close();
    }
  }

  private void write(ChannelHandlerContext ctx, Exchange next, Exchange.@Nullable Body body)
      throws IOException {
    HttpRequest request =
        body == null
            ? new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, next.method(), next.path())
            : new DefaultHttpRequest(HttpVersion.HTTP_1_1, next.method(), next.path());
    request.headers().set(HttpHeaderNames.HOST, host);
    next.headers(request.headers());
    if (body == null) {
      ctx.writeAndFlush(request);
      return;
    }
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.bytes());
    BodySender out =
        new BodySender(ctx, body.source(), zeroCopy, rate, next::sent, this::bodyEnded);
    sender = out;
    out.open();
    ctx.write(request);
    PeerProgress slow =
        new PeerProgress(
            ctx.channel(),
            limit,
            out::isWaiting,
            () -> lose(new IOException("the server takes nothing")));
    sending = slow;
    slow.start();
    out.pump();
  }

  /** The body is with the system, or never will be. */
  private void bodyEnded(@Nullable Throwable failure) {
    sender = null;
    if (sending != null) {
      sending.stop();
      sending = null;
    }
    lastNanos = System.nanoTime();
    if (failure instanceof SourceException changed) {
      end(new Ending.Failed(changed));
      close();
    } else if (failure != null) {
      lose(failure);
    }
  }

  private void look() {
    if (!paused && sender == null && System.nanoTime() - lastNanos > limitNanos) {
      lose(
          new IOException(
              "the server has sent nothing for %,d ms"
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

  /** Closes it. */
  public void close() {
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
    BodySender unsent = sender;
    answer = null;
    text = null;
    if (watch != null) {
      watch.cancel(false);
      watch = null;
    }
    if (unsent != null) {
      // The answer came before all was sent, so nobody reads the rest.
      unsent.stop(null);
      close();
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
          lose(new IOException("the server's answer is no HTTP", head.decoderResult().cause()));
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
      lose(new IOException("the server's answer is no HTTP", content.decoderResult().cause()));
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
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (sender != null) {
      sender.pump();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end(new Ending.Lost(new IOException("the server has closed the connection")));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    lose(cause);
  }
}
