package dev.weir.peer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A server as services build it: Netty's codec and aggregator, and a handler that answers with the
 * length of the body. Connections go to its loops in turn.
 */
final class UploadServer {
  private static final int MOST_BODY_BYTES = 64 << 20;

  private final ByteBufAllocator allocator;
  private final UploadCounts counts = new UploadCounts();
  private final int port;

  UploadServer(ByteBufAllocator allocator, int loops) {
    this.allocator = allocator;
    this.port = bind(loops);
  }

  private int bind(int loops) {
    Channel server =
        new ServerBootstrap()
            .group(new NioEventLoopGroup(1), new NioEventLoopGroup(loops))
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
                            new HttpServerCodec(),
                            new HttpObjectAggregator(MOST_BODY_BYTES),
                            new UploadHandler(counts));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  /** Says its port, and how it is whenever the parent asks, until that says {@code end}. */
  void run() throws IOException {
    Map<String, Object> where = new LinkedHashMap<>();
    where.put("port", port);
    JsonLine.say(where);
    BufferedReader parent =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = parent.readLine(); "look".equals(line); line = parent.readLine()) {
      Map<String, Object> seen = counts.toMap();
      seen.put("heldBytes", PeerAllocators.heldBytes(allocator));
      JsonLine.say(seen);
    }
  }
}
