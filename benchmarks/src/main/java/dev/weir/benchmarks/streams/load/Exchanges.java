package dev.weir.benchmarks.streams.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests over some connections, one at a time on each, until there are no more. All on one event
 * loop, whose thread alone uses the fields.
 */
final class Exchanges {
  private static final double NANOS_PER_SECOND = 1e9;

  /** What is sent next, from any connection. */
  interface Requests {
    /** A whole request that nobody else uses; null for no more. */
    @Nullable ByteBuf next();
  }

  private final Requests requests;
  private final Samples samples = new Samples();
  private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
  private int open;
  private long answers;
  private long failures;

  private Exchanges(Requests requests) {
    this.requests = requests;
  }

  /**
   * Sends them all, and waits for the last answer.
   *
   * @throws IOException if a connection breaks
   */
  static Load run(InetSocketAddress server, int connections, Requests requests) throws IOException {
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      return new Exchanges(requests).run(loop, server, connections);
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private Load run(EventLoopGroup loop, InetSocketAddress server, int connections)
      throws IOException {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new HttpResponseDecoder(), new Connection());
                  }
                });
    open = connections;
    long start = System.nanoTime();
    for (int i = 0; i < connections; i++) {
      bootstrap
          .connect(server)
          .addListener(connected -> {
            if (!connected.isSuccess()) {
              done.completeExceptionally(connected.cause());
            }
          });
    }
    try {
      done.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while requests run");
    } catch (ExecutionException failed) {
      throw new IOException("a connection failed: " + failed.getCause(), failed);
    }
    double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
    return new Load(answers, failures, seconds, samples.quantileMillis(0.99));
  }

  /** One of them. */
  private final class Connection extends ChannelInboundHandlerAdapter {
    private long sentNanos;
    private boolean isOver;

    @Override
    public void channelActive(ChannelHandlerContext context) {
      send(context);
    }

    private void send(ChannelHandlerContext context) {
      ByteBuf request = requests.next();
      if (request == null) {
        isOver = true;
        context.close();
        if (--open == 0) {
          done.complete(null);
        }
        return;
      }
      sentNanos = System.nanoTime();
      context.writeAndFlush(request);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (message instanceof HttpResponse response) {
          if (response.status().codeClass() == HttpStatusClass.SUCCESS) {
            answers++;
          } else {
            failures++;
          }
        }
        if (message instanceof LastHttpContent) {
          samples.add(System.nanoTime() - sentNanos);
          send(context);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (!isOver) {
        done.completeExceptionally(new IOException("the server closed it"));
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      done.completeExceptionally(cause);
      context.close();
    }
  }
}
