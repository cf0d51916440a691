package dev.weir.benchmarks.hello;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** An HTTP server on this machine that answers every request with a line of text. */
final class HelloServer implements AutoCloseable {
  static final String BODY = "Hello, world!\n";

  private final EventLoopGroup acceptor =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoopGroup loops;
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Supplier<ChannelHandler[]> gates;
  private final Channel channel;

  /**
   * Listens on a free port; connections go to the loops in turn.
   *
   * @param gates made for each connection, in front of the codec
   */
  HelloServer(int loopCount, ByteBufAllocator allocator, Supplier<ChannelHandler[]> gates) {
    this.gates = gates;
    loops = new MultiThreadIoEventLoopGroup(loopCount, NioIoHandler.newFactory());
    channel =
        new ServerBootstrap()
            .group(acceptor, loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(new Pipeline())
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  SocketAddress address() {
    return channel.localAddress();
  }

  /** How many event loops have answered. */
  int loopsUsed() {
    return threads.size();
  }

  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    acceptor.shutdownGracefully();
    loops.shutdownGracefully();
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel connection) {
      connection.pipeline().addLast(gates.get()).addLast(new HttpServerCodec(), new Greeter());
    }
  }

  private final class Greeter extends SimpleChannelInboundHandler<Object> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpRequest) {
        threads.add(Thread.currentThread());
      }
      if (message instanceof LastHttpContent) {
        ByteBuf body = ctx.alloc().buffer(BODY.length());
        body.writeCharSequence(BODY, StandardCharsets.US_ASCII);
        FullHttpResponse response =
            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, BODY.length());
        ctx.writeAndFlush(response);
      }
    }
  }
}
