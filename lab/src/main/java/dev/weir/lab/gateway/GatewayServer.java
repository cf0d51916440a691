package dev.weir.lab.gateway;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.http.HttpResponseCompressor;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.lab.subject.Subject;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** A server of one compressed text. */
final class GatewayServer {
  private static final int LOOPS = 2;
  private static final int NO_THRESHOLD = 0;

  private final int port;

  GatewayServer(GatewayCoder coder, GatewayPlan plan, byte[] text) {
    Subject subject = coder == GatewayCoder.WEIR ? Subject.WEIR : Subject.NETTY_ADAPTIVE;
    ByteBufAllocator allocator = subject.create(plan.limitBytes(), plan.limitBytes()).allocator();
    Supplier<ChannelHandler> compressor = compressor(coder, allocator);
    InetSocketAddress address =
        (InetSocketAddress)
            new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(LOOPS, NioIoHandler.newFactory()))
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childHandler(
                    new ChannelInitializer<SocketChannel>() {
                      @Override
                      protected void initChannel(SocketChannel channel) {
                        channel
                            .pipeline()
                            .addLast(
                                new HttpServerCodec(), compressor.get(), new GatewayHandler(text));
                      }
                    })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel()
                .localAddress();
    port = address.getPort();
  }

  private static Supplier<ChannelHandler> compressor(
      GatewayCoder coder, ByteBufAllocator allocator) {
    return switch (coder) {
      case HEAP_COPIES -> () -> new HeapCompressor(/* streams= */ false);
      case FINALIZERS -> () -> new HeapCompressor(/* streams= */ true);
      case NETTY ->
          () -> new HttpContentCompressor(NO_THRESHOLD, StandardCompressionOptions.zstd());
      case WEIR -> {
        WeirAllocator weir = (WeirAllocator) allocator;
        Budget budget = weir.pool().rootBudget().child("compression", Budget.UNLIMITED);
        Compression compression =
            Compression.create(ZstdLibrary.best(), weir.pool(), budget, CompressionOptions.DEFAULT);
        yield () -> new HttpResponseCompressor(compression);
      }
    };
  }

  int port() {
    return port;
  }
}
