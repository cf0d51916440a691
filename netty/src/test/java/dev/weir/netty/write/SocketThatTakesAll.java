package dev.weir.netty.write;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A channel over a real socket, whose peer takes in what it gets. */
@Timeout(120)
abstract class SocketThatTakesAll {
  static final int BYTES = 1_000;

  final Pool pool = Pool.create(PoolOptions.withLimit(64L << 20));
  final WeirAllocator allocator = new WeirAllocator(pool);
  private final EventLoopGroup peers =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private Channel listener;
  Channel channel;

  @BeforeEach
  void connect() {
    listener =
        new ServerBootstrap()
            .group(peers)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public boolean isSharable() {
                    return true;
                  }

                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ReferenceCountUtil.release(message);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    channel =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(listener.localAddress())
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void end() throws InterruptedException {
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    peers.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    allocator.close();
    pool.close();
  }

  final void onLoop(Runnable task) throws Exception {
    channel.eventLoop().submit(task).sync();
  }

  /**
   * Until listeners have run, and what they have left for later: whoever awaits a write may be
   * early.
   */
  final void settle() throws Exception {
    onLoop(() -> {});
    onLoop(() -> {});
  }

  final ByteBuf content() {
    return allocator.directBuffer(BYTES).writeZero(BYTES);
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  static void fail() {
    throw new IllegalStateException("an encoder that fails");
  }

  static ChannelHandler onWrite(BiConsumer<Object, ChannelPromise> then) {
    return new ChannelOutboundHandlerAdapter() {
      @Override
      public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        then.accept(message, promise);
      }
    };
  }
}
