package dev.weir.lab.compressed;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.http.HttpResponseCompressor;
import dev.weir.lab.contender.ZstdContender;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server of compressed texts: with Weir's handler over Weir, with Netty's over the others. */
final class CompressedServer {
  /** What a cramped socket holds, at either end, and a channel's queue in front of it. */
  static final int SOCKET_BYTES = 4 << 10;

  private static final int LOOPS = 2;
  private static final int NO_THRESHOLD = 0;

  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final @Nullable Compression compression;
  private final InetSocketAddress address;

  /**
   * Serves the text.
   *
   * @param crampedSockets whether sockets take so little that much of a response waits for the
   *     client
   * @param zstd what Weir's handler calls
   */
  CompressedServer(
      AllocatorUnderTest subject, byte[] text, boolean crampedSockets, ZstdContender zstd) {
    compression =
        subject.allocator() instanceof WeirAllocator weir ? compression(weir, zstd) : null;
    Supplier<ChannelHandler> compressor =
        compression == null
            ? () -> new HttpContentCompressor(NO_THRESHOLD, StandardCompressionOptions.zstd())
            : () -> new HttpResponseCompressor(compression);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(new MultiThreadIoEventLoopGroup(LOOPS, NioIoHandler.newFactory()))
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, subject.allocator())
            .childOption(ChannelOption.ALLOCATOR, subject.allocator())
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(new HttpServerCodec(), compressor.get(), new Feeder(text));
                  }
                });
    if (crampedSockets) {
      bootstrap
          .childOption(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
          .childOption(
              ChannelOption.WRITE_BUFFER_WATER_MARK,
              new WriteBufferWaterMark(SOCKET_BYTES / 2, SOCKET_BYTES));
    }
    Channel server =
        bootstrap.bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
    address = (InetSocketAddress) server.localAddress();
  }

  private static Compression compression(WeirAllocator allocator, ZstdContender zstd) {
    Budget budget = allocator.pool().rootBudget().child("compression", Budget.UNLIMITED);
    return Compression.create(zstd.library(), allocator.pool(), budget, CompressionOptions.DEFAULT);
  }

  int port() {
    return address.getPort();
  }

  /** How many connections are open. */
  int open() {
    return channels.size();
  }

  /** What contexts take; -1 where nobody counts them. */
  long contextBytes() {
    return compression == null ? -1 : compression.budget().chargedBytes();
  }

  /** Gives the contexts back: nothing is to be live afterwards. */
  void closeCompression() {
    if (compression != null) {
      compression.close();
    }
  }

  /** What of {@link #contextBytes} no response uses. */
  long idleContextBytes() {
    return compression == null ? -1 : compression.idleBytes();
  }
}
