package dev.weir.objects.s3.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Connections that rest, those in use, and exchanges that wait for one. The connection used last is
 * taken first, so that those too many grow old and are closed.
 */
final class ConnectionPool {
  /** Reads grow up to this: bodies are pages of a mebibyte, most of all. */
  private static final int MAX_READ_BYTES = 256 << 10;

  /** Where connections go to. */
  record Target(boolean isTls, String host, int port) {}

  private final HttpLimits limits;
  private final Bootstrap bootstrap;

  // Under this object's monitor, which no callback is called with.
  private final Map<Target, Deque<HttpConnection>> idle = new HashMap<>();
  private final Deque<HttpExchange> waiting = new ArrayDeque<>();
  private int open;
  private boolean isClosed;
  private @Nullable SslContext tls;

  ConnectionPool(HttpLimits limits, ByteBufAllocator allocator, EventLoopGroup loops) {
    this.limits = limits;
    this.bootstrap =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(1_024, 16 << 10, MAX_READ_BYTES))
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(limits.connectTimeout().toMillis()));
  }

  /** Has a connection do it, now or when one is free. */
  void run(HttpExchange exchange) {
    HttpConnection resting = null;
    synchronized (this) {
      if (!isClosed) {
        resting = pollIdle(exchange.target());
        if (resting == null) {
          if (open == limits.maxConnections()) {
            closeIdle(exchange.target());
            waiting.add(exchange);
            return;
          }
          open++;
        }
      }
    }
    if (resting != null) {
      resting.run(exchange);
    } else {
      connect(exchange);
    }
  }

  private @Nullable HttpConnection pollIdle(Target target) {
    Deque<HttpConnection> connections = idle.get(target);
    return connections == null ? null : connections.pollLast();
  }

  /** Closes a resting connection to another target, whose end lets an exchange in. */
  private void closeIdle(Target target) {
    for (Map.Entry<Target, Deque<HttpConnection>> other : idle.entrySet()) {
      HttpConnection oldest = other.getKey().equals(target) ? null : other.getValue().pollFirst();
      if (oldest != null) {
        oldest.close();
        return;
      }
    }
  }

  private void connect(HttpExchange exchange) {
    if (exchange.isAborted()) {
      exchange.refuse(new IOException("the request was cancelled"));
      connectionEnded(null);
      return;
    }
    Target target = exchange.target();
    HttpConnection connection = new HttpConnection(this, target, limits);
    SslContext context;
    try {
      if (isClosed()) {
        throw new IOException("the store is closed");
      }
      context = target.isTls() ? tls() : null;
    } catch (IOException e) {
      exchange.refuse(e);
      connectionEnded(null);
      return;
    }
    ChannelFuture connected =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (context != null) {
                      SslHandler handler =
                          context.newHandler(channel.alloc(), target.host(), target.port());
                      handler.setHandshakeTimeoutMillis(limits.connectTimeout().toMillis());
                      channel.pipeline().addLast(handler);
                    }
                    channel.pipeline().addLast(new HttpClientCodec(), connection);
                  }
                })
            .connect(target.host(), target.port());
    connected.addListener((ChannelFuture done) -> {
      if (!done.isSuccess()) {
        exchange.refuse(
            new IOException(
                "no connection to %s:%d: %s".formatted(target.host(), target.port(), done.cause()),
                done.cause()));
        connectionEnded(null);
        return;
      }
      done.channel().closeFuture().addListener(closed -> connectionEnded(connection));
      connection.run(exchange);
    });
  }

  private synchronized boolean isClosed() {
    return isClosed;
  }

  private synchronized SslContext tls() throws SSLException {
    SslContext context = tls;
    if (context == null) {
      context = SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS").build();
      tls = context;
    }
    return context;
  }

  /** A connection is free. */
  void rest(HttpConnection connection) {
    HttpExchange next;
    boolean closes;
    synchronized (this) {
      closes = isClosed;
      next = pollWaiting(connection.target());
      if (next == null && !closes) {
        idle.computeIfAbsent(connection.target(), target -> new ArrayDeque<>()).add(connection);
      }
    }
    if (next != null) {
      connection.run(next);
    } else if (closes) {
      connection.close();
    }
  }

  private @Nullable HttpExchange pollWaiting(Target target) {
    for (HttpExchange exchange : waiting) {
      if (exchange.target().equals(target)) {
        waiting.remove(exchange);
        return exchange;
      }
    }
    return null;
  }

  /**
   * A connection is closed, or never came.
   *
   * @param connection null: it was never open
   */
  private void connectionEnded(@Nullable HttpConnection connection) {
    HttpExchange next;
    synchronized (this) {
      if (connection != null) {
        Deque<HttpConnection> resting = idle.get(connection.target());
        if (resting != null) {
          resting.remove(connection);
        }
      }
      next = waiting.poll();
      if (next == null) {
        open--;
      }
    }
    if (next != null) {
      connect(next);
    }
  }

  /** Whether the connection rested until now; it does not any more. */
  synchronized boolean tryWithdraw(HttpConnection connection) {
    Deque<HttpConnection> resting = idle.get(connection.target());
    return resting != null && resting.remove(connection);
  }

  /** Closes what rests, and refuses what waits. */
  void close() {
    List<HttpConnection> resting = new ArrayList<>();
    List<HttpExchange> refused;
    synchronized (this) {
      isClosed = true;
      idle.values().forEach(resting::addAll);
      idle.clear();
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    resting.forEach(HttpConnection::close);
    refused.forEach(exchange -> exchange.refuse(new IOException("the store is closed")));
  }
}
