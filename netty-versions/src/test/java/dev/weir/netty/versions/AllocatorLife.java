package dev.weir.netty.versions;

import dev.weir.memory.Pool;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.IllegalReferenceCountException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The allocator on an event loop, from its first buffer to its end. Of Netty it uses what all
 * versions have.
 */
final class AllocatorLife {
  private static final int CONTENT_BYTES = 300_000;

  private final WeirAllocator allocator = WeirAllocator.withLimit(64L << 20);
  private final Pool pool = allocator.pool();

  @SuppressWarnings("deprecation") // What took its place is not in 4.1.
  private final EventLoopGroup loops = new NioEventLoopGroup(2);

  void run() throws Exception {
    loops.submit(this::bufferOfALoop).get().release();
    require(pool.liveBlockBytes() == 0, "what another thread releases is free");
    require(pool.snapshot().ownedHeaps() == 1, "the loop has a heap of its own");
    echo();

    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    pool.trim();
    require(pool.liveBlockBytes() == 0, "everything is released");
    require(pool.residentBytes() == 0, "what the loops had is given back");
    require(pool.snapshot().ownedHeaps() == 0, "the loops have handed their heaps over");
    pool.checkInvariants();
    allocator.close();
    require(pool.isClosed(), "the allocator closes its pool");
  }

  /** Allocates, writes, grows, releases; a second release is an error. */
  private ByteBuf bufferOfALoop() {
    ByteBuf heap = allocator.heapBuffer(100).writeLong(7);
    require(heap.hasArray() && heap.readLong() == 7, "heap buffers have an array");
    heap.release();

    ByteBuf grown = allocator.directBuffer(100).writeInt(42);
    grown.capacity(CONTENT_BYTES).writeZero(CONTENT_BYTES - 4);
    require(grown.getInt(0) == 42, "growth keeps the contents");
    grown.release();
    try {
      grown.release();
      throw new AssertionError("a second release passes");
    } catch (IllegalReferenceCountException released) {
      return allocator.buffer().writeByte(1);
    }
  }

  /** A client sends to a server, which sends all back, over sockets. */
  private void echo() throws Exception {
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    Channel server =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Echo());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    Channel client =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .handler(new Counter(answer))
            .connect(server.localAddress())
            .sync()
            .channel();
    client.writeAndFlush(allocator.directBuffer().writeZero(CONTENT_BYTES));

    require(answer.get(20, TimeUnit.SECONDS) == CONTENT_BYTES, "all comes back");
    client.close().sync();
    server.close().sync();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not so: " + what);
    }
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }
  }

  private static final class Counter extends SimpleChannelInboundHandler<ByteBuf> {
    private final CompletableFuture<Integer> answer;
    private int bytes;

    Counter(CompletableFuture<Integer> answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf content) {
      bytes += content.readableBytes();
      if (bytes >= CONTENT_BYTES) {
        answer.complete(bytes);
      }
    }
  }
}
