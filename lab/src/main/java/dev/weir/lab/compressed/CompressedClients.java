package dev.weir.lab.compressed;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that ask for compressed responses, one after the other on a connection of their own; or
 * on a new one each, which they reset when the first of the content has come.
 */
final class CompressedClients implements AutoCloseable {
  private static final int MAX_FAILURES = 100;

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Bootstrap bootstrap = new Bootstrap();
  private final InetSocketAddress server;
  private final boolean vanish;
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();

  /** What is left to be asked for, and to be answered, and who waits for that. */
  private final AtomicInteger toAsk = new AtomicInteger();

  private final AtomicInteger toCome = new AtomicInteger();
  private volatile CompletableFuture<Void> done = CompletableFuture.completedFuture(null);

  CompressedClients(int port, boolean vanish) {
    this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.vanish = vanish;
    bootstrap
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.SO_LINGER, 0)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new HttpClientCodec(), new Client());
              }
            });
    if (vanish) {
      bootstrap.option(ChannelOption.SO_RCVBUF, CompressedServer.SOCKET_BYTES);
    }
  }

  /** How many responses have come, or begun to come where clients vanish. */
  int answered() {
    return answered.get();
  }

  /** Whether so many have failed that it asks for no more. */
  boolean hasGivenUp() {
    return failures.get() > MAX_FAILURES;
  }

  /**
   * Asks for so many responses, from so many connections at a time.
   *
   * @return done when each has come or failed, or too many have failed
   */
  CompletableFuture<Void> ask(int responses, int connections) {
    done = new CompletableFuture<>();
    toCome.set(responses);
    toAsk.set(responses);
    for (int i = 0; i < connections; i++) {
      connect();
    }
    return done;
  }

  private void connect() {
    if (toAsk.getAndDecrement() > 0) {
      bootstrap
          .connect(server)
          .addListener((ChannelFuture connected) -> {
            if (!connected.isSuccess()) {
              failed();
            }
          });
    }
  }

  private void came() {
    answered.incrementAndGet();
    ended();
  }

  private void ended() {
    if (toCome.decrementAndGet() == 0) {
      done.complete(null);
    }
  }

  private void failed() {
    if (failures.incrementAndGet() > MAX_FAILURES) {
      toAsk.set(0);
      done.complete(null);
    }
    ended();
    connect();
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** One connection. */
  private final class Client extends SimpleChannelInboundHandler<HttpObject> {
    private boolean answered;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      send(ctx);
    }

    private static void send(ChannelHandlerContext ctx) {
      FullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.EMPTY_BUFFER);
      request
          .headers()
          .set(HttpHeaderNames.HOST, "localhost")
          .set(HttpHeaderNames.ACCEPT_ENCODING, "zstd");
      ctx.writeAndFlush(request);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
      if (answered || !(message instanceof HttpContent)) {
        return;
      }
      if (vanish) {
        answered = true;
        ctx.close();
        came();
        connect();
      } else if (message instanceof LastHttpContent) {
        came();
        if (toAsk.getAndDecrement() > 0) {
          send(ctx);
        } else {
          answered = true;
          ctx.close();
        }
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (!answered) {
        answered = true;
        failed();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
