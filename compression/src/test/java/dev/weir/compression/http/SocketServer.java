package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.HeldCleaner;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A service with compression over real sockets. What its handlers do not destroy nobody does: the
 * cleaner of lost contexts is held meanwhile. At its end nothing may be live.
 */
final class SocketServer implements AutoCloseable {
  /** Between two looks at what comes by itself, which leave the processor to who brings it. */
  private static final long LOOK_NANOS = 50_000;

  final MemoryUnderTest memory = new MemoryUnderTest();
  final Compression compression;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final HeldCleaner cleaner = new HeldCleaner();
  private final MultiThreadIoEventLoopGroup loops;
  private Channel listener;

  SocketServer(ZstdLibrary zstd, int eventLoops) {
    compression = Compression.create(zstd, memory.pool, memory.budget, CompressionOptions.DEFAULT);
    loops = new MultiThreadIoEventLoopGroup(eventLoops, NioIoHandler.newFactory());
  }

  /** Accepts connections, whose handlers {@code init} adds. */
  void start(Consumer<? super SocketChannel> init) {
    listener =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, memory.allocator)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new Connection());
                    init.accept(channel);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  /**
   * Counts a connection until its event loop is through with it. A closed channel is not: its
   * handlers give back what they have later, and NIO may take a buffer to read from it once more.
   * The first handler is removed last, by a task behind all that.
   */
  private final class Connection extends ChannelHandlerAdapter {
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      begun.incrementAndGet();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      ended.incrementAndGet();
    }
  }

  SocketAddress address() {
    return listener.localAddress();
  }

  /** Waits for a state that comes by itself; fails where a test's time is over before. */
  static void await(String what, BooleanSupplier state) {
    boolean reached = state.getAsBoolean();
    while (!reached && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
      reached = state.getAsBoolean();
    }
    assertThat(reached).as(what).isTrue();
  }

  /** Whether a stream has a context now. */
  boolean hasContextInUse() {
    return memory.budget.chargedBytes() > compression.idleBytes();
  }

  /** Waits until so many connections have been begun: a client may have gone before its own is. */
  void awaitConnections(int count) {
    await("connections", () -> begun.get() >= count);
  }

  /**
   * Waits until all connections that were begun have gone, and holds to it that they have left
   * nothing.
   */
  void assertNothingIsLeft() {
    await("no connection", () -> ended.get() == begun.get());
    assertThat(hasContextInUse()).as("a context is in use").isFalse();
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();
    assertThat(memory.pool.snapshot().promisedBytes()).as("promised").isZero();
  }

  /** Ends the event loops, with all connections. */
  void endLoops() {
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Override
  public void close() {
    try (cleaner) {
      endLoops();
      compression.close();
      memory.close();
    }
  }
}
