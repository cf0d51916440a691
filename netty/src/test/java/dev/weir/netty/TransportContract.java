package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Netty's transports carry traffic in Weir's buffers: what is sent comes back unchanged, and
 * nothing is left.
 */
abstract class TransportContract {
  private static final int CONNECTIONS = 6;
  private static final int BYTES_PER_CONNECTION = 2 << 20;
  private static final int MAX_MESSAGE_BYTES = 150_000;
  private static final int MAX_UNANSWERED_BYTES = 1 << 20;

  private static TestCertificate certificate;

  abstract PoolUnderTest memory();

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void inTheClear(TransportUnderTest transport) throws Exception {
    echo(transport, /* serverTls= */ null, /* clientTls= */ null);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void tlsOfTheJdk(TransportUnderTest transport) throws Exception {
    echo(transport, certificate.server(SslProvider.JDK), certificate.client());
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void tlsOfBoringSsl(TransportUnderTest transport) throws Exception {
    assumeTrue(OpenSsl.isAvailable(), "platforms for which netty-tcnative's library is there only");
    SslContext tls = certificate.server(SslProvider.OPENSSL_REFCNT);
    try {
      echo(transport, tls, certificate.client());
    } finally {
      ReferenceCountUtil.release(tls);
    }
  }

  private void echo(
      TransportUnderTest transport, @Nullable SslContext serverTls, @Nullable SslContext clientTls)
      throws Exception {
    EventLoopGroup loops = transport.newLoops(2);
    try {
      Channel server =
          transport
              .server(loops)
              .option(ChannelOption.ALLOCATOR, memory().allocator())
              .childOption(ChannelOption.ALLOCATOR, memory().allocator())
              .childHandler(new Pipeline(serverTls, Echo::new))
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      List<Client> clients = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        Client client = new Client(i);
        clients.add(client);
        transport
            .client(loops)
            .option(ChannelOption.ALLOCATOR, memory().allocator())
            .handler(new Pipeline(clientTls, () -> client))
            .connect((InetSocketAddress) server.localAddress());
      }
      for (Client client : clients) {
        assertThat(client.done.get(5, TimeUnit.MINUTES)).isEqualTo(BYTES_PER_CONNECTION);
      }
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    memory().assertEverythingReleased();
  }

  private interface Handler {
    ChannelInboundHandlerAdapter create();
  }

  private static final class Pipeline extends ChannelInitializer<Channel> {
    private final @Nullable SslContext tls;
    private final Handler handler;

    Pipeline(@Nullable SslContext tls, Handler handler) {
      this.tls = tls;
      this.handler = handler;
    }

    @Override
    protected void initChannel(Channel channel) {
      if (tls != null) {
        channel.pipeline().addLast(tls.newHandler(channel.alloc()));
      }
      channel.pipeline().addLast(handler.create());
    }
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  /**
   * Sends a pattern in messages of random sizes, alternately of direct and heap memory, and checks
   * what returns.
   */
  private static final class Client extends SimpleChannelInboundHandler<ByteBuf> {
    private final CompletableFuture<Integer> done = new CompletableFuture<>();
    private final SplittableRandom sizes;
    private final SplittableRandom sentPattern;
    private final SplittableRandom expectedPattern;
    private int sentBytes;
    private int receivedBytes;

    Client(long seed) {
      sizes = new SplittableRandom(seed);
      sentPattern = new SplittableRandom(~seed);
      expectedPattern = new SplittableRandom(~seed);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      send(context);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
      assertThat(message.alloc()).isSameAs(context.alloc());
      while (message.isReadable()) {
        byte expected = (byte) expectedPattern.nextInt();
        byte found = message.readByte();
        if (found != expected) {
          throw new AssertionError("byte %d: %d, not %d".formatted(receivedBytes, found, expected));
        }
        receivedBytes++;
      }
      if (receivedBytes == BYTES_PER_CONNECTION) {
        context.close().addListener(closed -> done.complete(receivedBytes));
      } else {
        send(context);
      }
    }

    private void send(ChannelHandlerContext context) {
      while (sentBytes < BYTES_PER_CONNECTION && sentBytes - receivedBytes < MAX_UNANSWERED_BYTES) {
        int bytes =
            Math.min(1 + sizes.nextInt(MAX_MESSAGE_BYTES), BYTES_PER_CONNECTION - sentBytes);
        ByteBuf message =
            sizes.nextInt(4) == 0 ? context.alloc().heapBuffer() : context.alloc().buffer();
        for (int i = 0; i < bytes; i++) {
          message.writeByte(sentPattern.nextInt());
        }
        sentBytes += bytes;
        context.write(message, context.voidPromise());
      }
      context.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (receivedBytes == BYTES_PER_CONNECTION) {
        // The other side may be the first to close what both end.
        done.complete(receivedBytes);
      } else {
        done.completeExceptionally(new AssertionError("closed after " + receivedBytes + " bytes"));
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      done.completeExceptionally(cause);
      context.close();
    }
  }
}
