package dev.weir.lab.replicate;

import dev.weir.replication.net.Loops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Gets a file in ranges, one a connection, and writes what comes without a look at it. */
final class NettyReceiver {
  private static final int RECEIVE_BYTES = 256 << 10;
  private static final int HEAD_BYTES = 8 << 10;

  private final InetSocketAddress source;
  private final String path;
  private final long bytes;
  private final int connections;
  private final @Nullable SslContext tls;
  private final Loops loops;

  NettyReceiver(
      InetSocketAddress source,
      String path,
      long bytes,
      int connections,
      @Nullable SslContext tls) {
    this.source = source;
    this.path = path;
    this.bytes = bytes;
    this.connections = connections;
    this.tls = tls;
    this.loops =
        new Loops(
            "netty-receiver", Math.min(connections, Runtime.getRuntime().availableProcessors()));
  }

  /** Copies once. */
  void copy(Path target) throws IOException {
    try (FileChannel file =
        FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      List<CompletableFuture<Void>> parts = new ArrayList<>();
      long share = Math.ceilDiv(bytes, connections);
      for (long offset = 0; offset < bytes; offset += share) {
        parts.add(part(file, offset, Math.min(share, bytes - offset)));
      }
      CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).join();
      file.force(true);
    } catch (CompletionException e) {
      throw new IOException(e.getCause());
    }
  }

  private CompletableFuture<Void> part(FileChannel file, long offset, long length) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    new Bootstrap()
        .group(loops.group())
        .channel(loops.clients())
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                if (tls != null) {
                  channel
                      .pipeline()
                      .addLast(
                          tls.newHandler(
                              channel.alloc(), source.getHostString(), source.getPort()));
                }
                channel
                    .pipeline()
                    .addLast(
                        new HttpClientCodec(HEAD_BYTES, HEAD_BYTES, RECEIVE_BYTES),
                        new Part(path, file, offset, length, end));
              }
            })
        .connect(source);
    return end;
  }

  private static final class Part extends SimpleChannelInboundHandler<Object> {
    private final String path;
    private final FileChannel file;
    private final CompletableFuture<Void> end;
    private final long last;
    private long position;

    Part(String path, FileChannel file, long offset, long length, CompletableFuture<Void> end) {
      this.path = path;
      this.file = file;
      this.position = offset;
      this.last = offset + length - 1;
      this.end = end;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
      request
          .headers()
          .set(HttpHeaderNames.HOST, "localhost")
          .set(HttpHeaderNames.RANGE, "bytes=" + position + "-" + last);
      ctx.writeAndFlush(request);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) throws IOException {
      if (message instanceof HttpResponse answer && answer.status().code() != 206) {
        throw new IOException("the server answers " + answer.status());
      }
      if (message instanceof HttpContent part) {
        ByteBuf content = part.content();
        while (content.isReadable()) {
          position += content.readBytes(file, position, content.readableBytes());
        }
      }
      if (message instanceof LastHttpContent) {
        end.complete(null);
        ctx.close();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      end.completeExceptionally(new IOException("the connection has ended early"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      end.completeExceptionally(cause);
      ctx.close();
    }
  }
}
