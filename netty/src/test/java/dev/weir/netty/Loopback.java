package dev.weir.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** Servers for tests, on a free port of this machine. */
public final class Loopback {
  private Loopback() {}

  /**
   * Listens.
   *
   * @param loops of the transport
   * @param pipeline sets each connection up
   */
  public static Channel listen(
      TransportUnderTest transport,
      EventLoopGroup loops,
      ByteBufAllocator allocator,
      Consumer<Channel> pipeline) {
    return transport
        .server(loops)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                pipeline.accept(channel);
              }
            })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .syncUninterruptibly()
        .channel();
  }
}
