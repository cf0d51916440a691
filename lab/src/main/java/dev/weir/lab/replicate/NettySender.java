package dev.weir.lab.replicate;

import dev.weir.replication.net.Loops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.stream.ChunkedNioFile;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A file by HTTP as Netty's own examples send it: a region in the clear, pieces with TLS. */
final class NettySender implements AutoCloseable {
  private static final int PIECE_BYTES = 256 << 10;

  private final Loops loops;
  private final Channel listener;

  private NettySender(Loops loops, Channel listener) {
    this.loops = loops;
    this.listener = listener;
  }

  static NettySender start(Path container, @Nullable SslContext tls) {
    Path file = container.resolve("0");
    Loops loops = new Loops("netty-sender", Runtime.getRuntime().availableProcessors());
    EventLoopGroup group = loops.group();
    Channel listener =
        new ServerBootstrap()
            .group(group)
            .channel(loops.listeners())
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (tls != null) {
                      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(),
                            new ChunkedWriteHandler(),
                            new Answers(file, /* zeroCopy= */ tls == null));
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    return new NettySender(loops, listener);
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  long pooledBytes() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    loops.close();
  }

  private static final class Answers extends SimpleChannelInboundHandler<Object> {
    private final Path file;
    private final boolean zeroCopy;

    Answers(Path file, boolean zeroCopy) {
      this.file = file;
      this.zeroCopy = zeroCopy;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) throws IOException {
      if (!(message instanceof HttpRequest request)) {
        return;
      }
      String[] range = request.headers().get(HttpHeaderNames.RANGE, "").split("[=-]", -1);
      long first = Long.parseLong(range[1]);
      long length = Long.parseLong(range[2]) - first + 1;
      HttpResponse answer =
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.PARTIAL_CONTENT);
      answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
      ctx.write(answer);
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      if (zeroCopy) {
        ctx.write(new DefaultFileRegion(channel, first, length));
        ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      } else {
        ctx.writeAndFlush(
            new HttpChunkedInput(new ChunkedNioFile(channel, first, length, PIECE_BYTES)));
      }
    }
  }
}
