package dev.weir.netty.http;

import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Aggregates what comes over sockets. */
final class AggregatingServer {
  final EventLoopGroup loops;
  final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listener;

  /** With these behind the codec of each connection. */
  AggregatingServer(
      TransportUnderTest transport,
      ByteBufAllocator allocator,
      Supplier<BudgetedHttpAggregator> aggregator,
      Supplier<ChannelHandler> application) {
    loops = transport.newLoops(2);
    listener =
        Loopback.listen(
            transport,
            loops,
            allocator,
            channel -> {
              connections.add(channel);
              channel
                  .pipeline()
                  .addLast(new HttpServerCodec(), aggregator.get(), application.get());
            });
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Ends all connections, and the loops. */
  void stop() throws InterruptedException {
    connections.close().sync();
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
