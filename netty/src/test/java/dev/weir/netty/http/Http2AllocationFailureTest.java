package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.http.AllocationFailureTest.Gathering;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same as {@link AllocationFailureTest} over HTTP/2: streams may end alone. */
@Timeout(120)
class Http2AllocationFailureTest {
  private static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);

  /** Where Netty closes the connection, and tells nobody: the settings at its beginning. */
  private static final String NETTYS = ".writeSettings(";

  /** As those have that speak HTTP/1. */
  private static final int RECEIVE_BUFFER_BYTES = 16 << 10;

  private static final EventLoopGroup LOOPS =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private static TestCertificate certificate;
  private static SslContext clientTls;

  @TempDir private Path folder;

  @AfterAll
  static void endLoops() {
    LOOPS.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
    clientTls = certificate.client();
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(Engine.values())
        .flatMap(engine ->
            Stream.concat(
                Arrays.stream(Gathering.values())
                    .map(gathering -> Arguments.of(engine, gathering, Echo.Way.WHOLE)),
                Stream.of(Echo.Way.PULLED, Echo.Way.CHUNKED_INPUT)
                    .map(way -> Arguments.of(engine, Gathering.IN_MEMORY, way))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyAllocationMayFail(Engine engine, Gathering gathering, Echo.Way way) throws Exception {
    FaultyServer.Parts parts =
        gathering
            .with(
                FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), engine.server(certificate)),
                folder)
            .answering(way)
            .overHttp2();
    FailureSites sites = new FailureSites();
    try (FaultyServer server = new FaultyServer(parts)) {
      while (true) {
        server.allocator.arm(sites.failures() + 1);
        Answer answer = exchange(server, engine);
        StackTraceElement[] failedAt = server.allocator.disarm();
        if (engine != Engine.NONE) {
          sites.checkLoss(server, failedAt);
        }
        server.assertNothingIsHeld();
        if (failedAt == null) {
          assertThat(answer.isServed()).as("%s", answer).isTrue();
          break;
        }
        sites.add(failedAt);
        List<Throwable> told = server.takeTold();
        if (!answer.isServed() && answer.status != 503 && !sites.last().contains(NETTYS)) {
          assertThat(told).as(sites.last()).isNotEmpty();
        }
        assertThat(exchange(server, engine).isServed()).as("another client").isTrue();
        server.assertNothingIsHeld();
      }
    }
    sites.assertMany(parts.toString());
  }

  private static Answer exchange(FaultyServer server, Engine engine) throws Exception {
    Answer answer = new Answer();
    Channel connection =
        new Bootstrap()
            .group(LOOPS)
            .channel(NioSocketChannel.class)
            // Where the window is large, the kernel waits 40 ms before it says what has come.
            .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (engine != Engine.NONE) {
                      channel.pipeline().addLast(clientTls.newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            Http2FrameCodecBuilder.forClient().build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                            new IgnoredFailures());
                  }
                })
            .connect(server.address())
            .sync()
            .channel();
    try {
      connection.closeFuture().addListener(closed -> answer.over.complete(null));
      Future<Http2StreamChannel> stream =
          new Http2StreamChannelBootstrap(connection).handler(answer).open().await();
      if (stream.isSuccess()) {
        DefaultFullHttpRequest request =
            new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.copiedBuffer(BODY, US_ASCII));
        request.headers().set(HttpHeaderNames.HOST, "weir");
        request.headers().set(HttpHeaderNames.CONTENT_LENGTH, BODY.length());
        stream.getNow().writeAndFlush(request);
      }
      answer.over.get(60, TimeUnit.SECONDS);
      return answer;
    } catch (TimeoutException neitherAnsweredNorClosed) {
      throw new AssertionError(
          "nothing came after " + Arrays.toString(server.allocator.disarm()),
          neitherAnsweredNorClosed);
    } finally {
      connection.close().sync();
    }
  }

  /** What a client gets on its stream. */
  private static final class Answer extends ChannelInitializer<Channel> {
    final CompletableFuture<Void> over = new CompletableFuture<>();
    private final StringBuilder body = new StringBuilder();
    private int status;
    private boolean ended;

    /**
     * Whether it is all that is due. What comes of one that is not is no other than its beginning,
     * or says that there is no memory.
     */
    boolean isServed() {
      if (status == 503 || status == 0) {
        return false;
      }
      assertThat(status).isEqualTo(200);
      assertThat(BODY).startsWith(body);
      assertThat(ended && body.length() < BODY.length()).as("ended early").isFalse();
      return ended;
    }

    @Override
    protected void initChannel(Channel stream) {
      stream
          .pipeline()
          .addLast(
              new Http2StreamFrameToHttpObjectCodec(/* isServer= */ false),
              new SimpleChannelInboundHandler<HttpObject>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
                  take(part);
                }

                @Override
                public void channelInactive(ChannelHandlerContext ctx) {
                  over.complete(null);
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
                  ctx.close();
                }
              });
    }

    private void take(HttpObject part) {
      if (part instanceof HttpResponse head) {
        status = head.status().code();
        if (status == 503) {
          assertThat(head.headers().contains(HttpHeaderNames.RETRY_AFTER)).isTrue();
        }
      }
      if (part instanceof HttpContent content) {
        body.append(content.content().toString(US_ASCII));
      }
      if (part instanceof LastHttpContent) {
        ended = true;
        over.complete(null);
      }
    }

    @Override
    public String toString() {
      return status + " with " + body.length() + " bytes" + (ended ? "" : ", cut off");
    }
  }

  private static final class IgnoredFailures extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      ctx.close();
    }
  }
}
