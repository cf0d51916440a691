package dev.weir.server.http;

import dev.weir.compression.Compression;
import dev.weir.netty.flow.ReserveReceiveBuffers;
import dev.weir.server.console.Console;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.tls.Tls;
import dev.weir.streams.StreamStore;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves a store over HTTP/1.1 and HTTP/2, in the clear or with TLS. */
public final class HttpServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(HttpServer.class.getName());

  /**
   * Enough to keep a disk busy. What waits for them is bounded by the permits: each exchange, be it
   * of a connection or of a stream, has at most one task there that reads or writes.
   */
  private static final int IO_THREADS = 4;

  private final EventLoopGroup loops;
  private final ExecutorService io;
  private final ChannelGroup connections;
  private final Channel listener;

  /** Open until an event loop ends that nobody has asked to. */
  private final CountDownLatch loss = new CountDownLatch(1);

  private volatile boolean draining;

  private HttpServer(
      EventLoopGroup loops, ExecutorService io, ChannelGroup connections, Channel listener) {
    this.loops = loops;
    this.io = io;
    this.connections = connections;
    this.listener = listener;
    for (EventExecutor loop : loops) {
      loop.terminationFuture()
          .addListener(ended -> {
            if (!draining) {
              loss.countDown();
            }
          });
    }
  }

  /**
   * Starts to listen.
   *
   * @param buffers where all buffers of connections come from
   * @param compression of what is sent, null for none; stays the caller's, and is closed after this
   * @param tls of all connections, null for none; stays the caller's
   * @throws BindException when the address cannot be bound
   */
  public static HttpServer start(
      InetSocketAddress address,
      StreamStore store,
      Buffers buffers,
      Sockets sockets,
      HttpLimits limits,
      AccessPolicy access,
      NodeMetrics metrics,
      Console console,
      @Nullable Compression compression,
      @Nullable Tls tls)
      throws IOException {
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(sockets.eventLoops(), sockets.transport().handlers());
    ExecutorService io =
        Executors.newFixedThreadPool(IO_THREADS, Thread.ofPlatform().name("weir-io-", 0).factory());
    ChannelGroup connections = new DefaultChannelGroup("connections", GlobalEventExecutor.INSTANCE);
    Services services =
        new Services(
            store,
            io,
            new ForkSearches(io),
            limits,
            access.guard(address.getAddress()),
            new ContentCodings(compression),
            new Permits(limits.maxConnections()),
            new Permits(limits.maxConnections()),
            new StagingQuota(limits.stagingBytes()),
            metrics,
            console,
            tls);
    try {
      Channel listener =
          new ServerBootstrap()
              .group(loops)
              .channel(sockets.transport().channelType())
              .option(ChannelOption.SO_BACKLOG, 1024)
              .option(ChannelOption.SO_REUSEADDR, true)
              .childOption(ChannelOption.ALLOCATOR, buffers.allocator())
              .childOption(ChannelOption.AUTO_READ, false)
              .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childOption(ChannelOption.SO_SNDBUF, sockets.sendBuffer())
              .childOption(
                  ChannelOption.RECVBUF_ALLOCATOR,
                  new ReserveReceiveBuffers(services.permits()::taken))
              .childHandler(
                  new ConnectionInitializer(
                      services,
                      connections,
                      buffers.connections(),
                      new AddressPermits(access.connectionsPerAddress())))
              .bind(address)
              .syncUninterruptibly()
              .channel();
      loops
          .iterator()
          .next()
          .scheduleAtFixedRate(metrics.conditions()::look, 1, 1, TimeUnit.SECONDS);
      return new HttpServer(loops, io, connections, listener);
    } catch (Throwable e) {
      // Netty throws what the bind failed with, checked or not, from a method that declares
      // nothing.
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      io.shutdown();
      if (e instanceof IOException refused) {
        BindException failed = new BindException(String.valueOf(refused.getMessage()));
        failed.initCause(refused);
        throw failed;
      }
      throw e;
    }
  }

  /** Where the server listens, with the port it was given. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /**
   * Waits until the server cannot go on: Netty ends an event loop where an error leaves it, and
   * with it the connections that it has. Those that come are given to it all the same, and stay
   * without an answer. Returns at no other time.
   */
  public void awaitLoss() throws InterruptedException {
    loss.await();
  }

  /**
   * Stops to listen, lets requests in progress end, closes what is left at the deadline, and lets
   * go of the threads.
   *
   * @return whether every request ended in time
   */
  public boolean drain(Duration deadline) {
    draining = true;
    listener.close().awaitUninterruptibly();
    connections.stream().filter(HttpServer::isServed).forEach(HttpServer::tellOfEnd);
    boolean ended = connections.newCloseFuture().awaitUninterruptibly(deadline.toMillis());
    connections.close(HttpServer::isServed).awaitUninterruptibly();
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    io.shutdown();
    try {
      if (!io.awaitTermination(1, TimeUnit.MINUTES)) {
        io.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  private static void tellOfEnd(Channel channel) {
    try {
      channel.pipeline().fireUserEventTriggered(HttpCarrier.Signal.DRAIN);
    } catch (RejectedExecutionException lostLoop) {
      LOG.log(System.Logger.Level.DEBUG, "a connection's event loop has just ended", lostLoop);
    }
  }

  /** The others end with the process: none but its event loop may close a channel. */
  private static boolean isServed(Channel channel) {
    return !channel.eventLoop().isShuttingDown();
  }

  @Override
  public void close() {
    drain(Duration.ZERO);
  }
}
