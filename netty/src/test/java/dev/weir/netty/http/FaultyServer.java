package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.write.Owned;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * A service made of all the handlers, that answers a body with itself; and allocations that can be
 * made to fail. Ends with the proof that nothing is held.
 */
final class FaultyServer implements AutoCloseable {
  static final int BODY_BYTES = 100_000;

  final Pool pool = Pool.create(PoolOptions.withLimit(16L << 20));
  final FailingAllocator allocator;
  final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  final WriteGate writeGate;
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel listener;

  /** What has come from all connections together, and been handled. */
  private final AtomicLong takenBytes = new AtomicLong();

  private long lostBytes;

  /** With more patience for those who read than a machine that is busy elsewhere ever takes. */
  FaultyServer(AggregatorOptions options, SslContext tls) {
    this(options, tls, Duration.ofMinutes(10));
  }

  /** Closes who leaves more than 64 KiB of what is there for so long. */
  FaultyServer(AggregatorOptions options, SslContext tls, Duration slowTime) {
    writeGate = new WriteGate(WriteGateOptions.within(4 << 20).withSlowPeer(64 << 10, slowTime));
    WeirAllocator weir = new WeirAllocator(pool);
    allocator = new FailingAllocator(weir);
    ReadGate readGate = new ReadGate(new PoolHeadroom(pool));
    WeirAdmission admission = new WeirAdmission(weir);
    listener =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .handler(readGate.newListenerHandler())
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.SO_SNDBUF, 16 << 10)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    channel.pipeline().addLast(new CountTaken());
                    if (tls != null) {
                      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            readGate.newHandler(),
                            writeGate.newHandler(),
                            new HttpServerCodec(),
                            new BudgetedHttpAggregator(allocator.failing(admission), options),
                            new Echo());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  Socket connect() throws IOException {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    Socket client = new Socket();
    client.setReceiveBufferSize(16 << 10);
    client.setSoTimeout(60_000);
    client.connect(address);
    return client;
  }

  /** Waits until there is a connection, and so much has been taken in that came over it. */
  void awaitTaken(int bytes) {
    await("a connection", () -> !connections.isEmpty());
    await("bytes that were taken in", () -> takenBytes.get() >= bytes);
  }

  /** Waits for a state that comes by itself; fails where a test's time is over before. */
  static void await(String what, BooleanSupplier state) {
    while (!state.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    assertThat(state.getAsBoolean()).as(what).isTrue();
  }

  /** Whole exchanges work: whatever was done to another connection has harmed nobody. */
  void assertServes() throws IOException {
    try (Socket client = connect()) {
      client.getOutputStream().write(request("Content-Length: 5", "hello"));
      assertThat(new String(client.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 200")
          .endsWith("hello");
    }
  }

  static byte[] request(String length, String body) {
    return ("POST / HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n" + length + "\r\n\r\n" + body)
        .getBytes(US_ASCII);
  }

  /** Waits until all connections have gone, and holds to it that they have left nothing. */
  void assertNothingIsHeld() {
    awaitNoConnection();
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.rootBudget().heapBytes()).isEqualTo(lostBytes);
    assertThat(writeGate.queuedBytes()).isZero();
  }

  /** The Java heap that the connection before this has lost in {@code SslHandler}, if it has. */
  long takeLostBytes() {
    awaitNoConnection();
    long before = lostBytes;
    lostBytes = pool.rootBudget().heapBytes();
    return lostBytes - before;
  }

  /** Handlers let go of what they have when they are removed, after the channel has closed. */
  private void awaitNoConnection() {
    await("no connection", connections::isEmpty);
    for (int i = 0; i < 3 && !loops.isTerminated(); i++) {
      loops.submit(() -> {}).syncUninterruptibly();
    }
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    connections.close().syncUninterruptibly();
    assertNothingIsHeld();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    pool.close();
  }

  private final class CountTaken extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      int bytes = ((ByteBuf) message).readableBytes();
      ctx.fireChannelRead(message);
      takenBytes.addAndGet(bytes);
    }
  }

  private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      ByteBuf content = ctx.alloc().buffer(Math.max(1, request.content().readableBytes()));
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content.writeBytes(request.content()));
      HttpUtil.setContentLength(response, content.readableBytes());
      Owned.send(ctx, response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      ctx.close();
    }
  }
}
