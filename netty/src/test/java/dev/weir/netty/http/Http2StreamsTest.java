package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Http2Windows;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.write.FailStopTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many uploads at once over connections of HTTP/2, twice as much as there is memory for: streams
 * wait by their windows, and all arrive whole.
 */
@Timeout(120)
@ParameterizedClass
@MethodSource("wiresAndConnections")
class Http2StreamsTest {
  private static final int MIB = 1 << 20;
  private static final int STREAMS = 32;
  private static final int SEVERAL = 4;
  private static final long LIMIT_BYTES = 16L * MIB;

  private static TestCertificate certificate;

  private final Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final ReadGate gate =
      new ReadGate(new PoolHeadroom(pool, 6L * MIB, 7L * MIB, Duration.ofMillis(20)));
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Wire wire;
  private final int connectionCount;
  private final EventLoopGroup loops;
  private @Nullable SslContext tls;

  Http2StreamsTest(Wire wire, int connectionCount) {
    this.wire = wire;
    this.connectionCount = connectionCount;
    loops = wire.transport().newLoops(2);
  }

  /** All streams on one connection; or on several, over other transports, and with TLS. */
  static Stream<Arguments> wiresAndConnections() {
    return Stream.of(
            Stream.of(Arguments.of(wire(TransportUnderTest.NIO, Engine.NONE), 1)),
            Stream.of(Arguments.of(wire(TransportUnderTest.NIO, Engine.JDK), SEVERAL)),
            TransportUnderTest.available()
                .filter(transport -> transport != TransportUnderTest.NIO)
                .map(transport -> Arguments.of(wire(transport, Engine.NONE), SEVERAL)),
            TransportUnderTest.available()
                .filter(transport -> transport == TransportUnderTest.EPOLL)
                .map(transport -> Arguments.of(wire(transport, Engine.BORINGSSL), SEVERAL)))
        .flatMap(each -> each);
  }

  private static Wire wire(TransportUnderTest transport, Engine engine) {
    return new Wire(transport, engine, /* http2= */ true);
  }

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    connections.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.peakResidentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    pool.close();
    ReferenceCountUtil.release(tls);
  }

  @Test
  void bodiesThatAreAdmittedWaitForEachOtherOnly() throws Exception {
    // The rest is for what streams have queued within their windows.
    WeirAdmission admission =
        new WeirAdmission(allocator, pool.rootBudget().child("uploads", 9L * MIB));
    AggregatorOptions options =
        AggregatorOptions.upTo(4 * MIB).withAdmissionDeadline(Duration.ofMinutes(1));
    uploadTo(
        listen(() ->
            new ChannelHandler[] {
              gate.newHandler(),
              new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true),
              new BudgetedHttpAggregator(admission, options),
              new AnswerLength()
            }));
  }

  @Test
  void streamsThatGatherWithoutAskingAreStoppedByTheirWindows() throws Exception {
    uploadTo(
        listen(() ->
            new ChannelHandler[] {
              gate.newHandler(),
              new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true),
              new Gather()
            }));
    assertThat(gate.closings()).isPositive();
  }

  private Channel listen(Supplier<ChannelHandler[]> stream) throws Exception {
    tls = wire.engine().server(certificate);
    Channel listener =
        wire.transport()
            .server(loops)
            .handler(gate.newListenerHandler())
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    if (tls != null) {
                      FailStopTls.addTo(channel.pipeline(), tls.newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            Http2Windows.perStream(
                                Http2FrameCodecBuilder.forServer()
                                    .initialSettings(
                                        Http2Settings.defaultSettings()
                                            .maxConcurrentStreams(STREAMS)
                                            .initialWindowSize(16 << 10))
                                    .build()),
                            new Http2MultiplexHandler(
                                new ChannelInitializer<>() {
                                  @Override
                                  protected void initChannel(Channel opened) {
                                    // A stream does not inherit the allocator of its connection.
                                    opened.config().setAllocator(allocator);
                                    opened.pipeline().addLast(stream.get());
                                  }
                                }));
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    connections.add(listener);
    return listener;
  }

  private Channel connect(Channel listener) throws Exception {
    SslContext trusting = tls == null ? null : certificate.client();
    Channel connection =
        wire.transport()
            .client(loops)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (trusting != null) {
                      channel.pipeline().addLast(trusting.newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            Http2FrameCodecBuilder.forClient().build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                  }
                })
            .connect(listener.localAddress())
            .sync()
            .channel();
    connections.add(connection);
    return connection;
  }

  private void uploadTo(Channel listener) throws Exception {
    List<Channel> clients = new ArrayList<>();
    for (int i = 0; i < connectionCount; i++) {
      clients.add(connect(listener));
    }
    List<CompletableFuture<String>> answers = new ArrayList<>();
    List<Runnable> writes = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      Channel connection = clients.get(i % connectionCount);
      CompletableFuture<String> answer = new CompletableFuture<>();
      answers.add(answer);
      Http2StreamChannel stream =
          new Http2StreamChannelBootstrap(connection)
              .handler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(
                              new Http2StreamFrameToHttpObjectCodec(/* isServer= */ false),
                              new HttpObjectAggregator(1_000),
                              new Await(answer));
                    }
                  })
              .open()
              .sync()
              .getNow();
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(new byte[MIB]));
      request.headers().set(HttpHeaderNames.HOST, "weir");
      if (i / connectionCount % 4 != 3) {
        request.headers().set(HttpHeaderNames.CONTENT_LENGTH, MIB);
      }
      writes.add(() -> stream.writeAndFlush(request));
    }
    // At once, so that all streams are under way together.
    for (int i = 0; i < connectionCount; i++) {
      int first = i;
      clients
          .get(i)
          .eventLoop()
          .execute(() -> {
            for (int at = first; at < STREAMS; at += connectionCount) {
              writes.get(at).run();
            }
          });
    }
    for (CompletableFuture<String> answer : answers) {
      assertThat(answer.get()).isEqualTo("200 " + MIB);
    }
  }

  private static void answer(ChannelHandlerContext ctx, int bytes) {
    ctx.writeAndFlush(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.OK,
            Unpooled.copiedBuffer(Integer.toString(bytes), US_ASCII)));
  }

  private static final class AnswerLength extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      answer(ctx, request.content().readableBytes());
    }
  }

  /** Holds all of a body before it answers. */
  private static final class Gather extends ChannelInboundHandlerAdapter {
    private CompositeByteBuf gathered;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (!(message instanceof HttpContent content)) {
        ReferenceCountUtil.release(message);
        return;
      }
      if (gathered == null) {
        gathered = ctx.alloc().compositeDirectBuffer(MIB);
      }
      ByteBuf copy = ctx.alloc().directBuffer(Math.max(1, content.content().readableBytes()));
      gathered.addComponent(/* increaseWriterIndex= */ true, copy.writeBytes(content.content()));
      boolean last = content instanceof LastHttpContent;
      content.release();
      if (last) {
        answer(ctx, gathered.readableBytes());
        drop();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      drop();
    }

    private void drop() {
      if (gathered != null) {
        gathered.release();
        gathered = null;
      }
    }
  }

  private static final class Await extends SimpleChannelInboundHandler<FullHttpResponse> {
    private final CompletableFuture<String> answer;

    Await(CompletableFuture<String> answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
      answer.complete(response.status().code() + " " + response.content().toString(US_ASCII));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      answer.completeExceptionally(new IllegalStateException("the stream has closed"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      answer.completeExceptionally(failure);
    }
  }
}
