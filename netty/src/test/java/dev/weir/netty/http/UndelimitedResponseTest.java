package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.netty.Loopback;
import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.write.FailStopTls;
import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.UnbrokenStream;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A body without a length, as clients of HTTP/1.0 get it, ends with its connection: where a part of
 * it is lost the connection is reset, for what the client has got is not to seem whole.
 */
class UndelimitedResponseTest {
  /** So that the system has taken it before the client reads. */
  private static final int LONG = 100_000;

  private static final Wire PLAIN = new Wire(TransportUnderTest.NIO, Engine.NONE, false);

  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static Stream<Wire> wires() {
    return Wire.all().filter(wire -> !wire.http2());
  }

  static Stream<Arguments> losses() {
    return wires().flatMap(wire -> Arrays.stream(Loss.values()).map(loss -> arguments(wire, loss)));
  }

  /** What an application does when a part is lost. */
  private enum Loss {
    NOTHING {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(part());
      }
    },
    CLOSES {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(part());
        ctx.close();
      }
    },
    ENDS_AND_CLOSES {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(part());
        ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
            .addListener(ChannelFutureListener.CLOSE);
      }
    },
    CLOSES_ON_FAILURE {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(part()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
      }
    },
    /** From a task: a part in the middle is lost on another thread. */
    HEARS_OF_IT_FIRST_BY_A_TASK {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.pipeline().remove("loses");
        LosesLater loses = new LosesLater(HttpContent.class);
        ctx.pipeline().addAfter("HttpServerCodec#0", "later", loses);
        ctx.write(part(), ctx.newPromise().addListener(ChannelFutureListener.CLOSE_ON_FAILURE));
        ctx.write(part());
        // What is written here may wait for a task itself.
        ctx.executor().execute(() -> Thread.startVirtualThread(loses::lose));
      }
    },
    /** Another head is refused: what has come is all that there will be of the first. */
    ANSWERS_ANOTHER_WAY {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.pipeline().remove("loses");
        DefaultFullHttpResponse failure = whole("failed");
        failure.headers().set(HttpHeaderNames.CONTENT_LENGTH, 6);
        ctx.writeAndFlush(failure);
      }
    },
    ANSWERS_ANOTHER_WAY_WITHOUT_A_LENGTH {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.pipeline().remove("loses");
        ctx.writeAndFlush(whole("failed")).addListener(ChannelFutureListener.CLOSE);
      }
    },
    HEARS_OF_IT_FIRST {
      @Override
      void write(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(
            part(), ctx.newPromise().addListener(ChannelFutureListener.CLOSE_ON_FAILURE));
      }
    };

    abstract void write(ChannelHandlerContext ctx);

    /** Has a client get a part, then loses one. */
    void respond(ChannelHandlerContext ctx) {
      ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK));
      ctx.writeAndFlush(part())
          .addListener(sent -> {
            ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpContent.class));
            write(ctx);
          });
    }
  }

  @ParameterizedTest
  @MethodSource("losses")
  void theConnectionOfALostResponseIsReset(Wire wire, Loss loss) throws Exception {
    try (Exchange exchange = new Exchange(wire, loss::respond)) {
      exchange.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(exchange.readAll()).isInstanceOf(IOException.class);
      assertThat(exchange.received()).startsWith("HTTP/1.0 200 OK").endsWith("\r\n\r\npart");
    }
  }

  static Stream<Arguments> handlers() {
    return wires()
        .flatMap(wire -> Arrays.stream(Nearer.values()).map(nearer -> arguments(wire, nearer)));
  }

  /** A handler, nearer to the wire, that hears of the loss first and ends the connection. */
  private enum Nearer {
    GATE_THAT_REFUSES {
      @Override
      void addTo(ChannelPipeline pipeline) {
        pipeline.addAfter("HttpServerCodec#0", "nearer", gate(1_000));
      }

      @Override
      void lose(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[2_000])));
      }
    },
    GATE_OF_BYTES {
      @Override
      void addTo(ChannelPipeline pipeline) {
        pipeline.addBefore("HttpServerCodec#0", "nearer", gate(10_000));
      }

      @Override
      void lose(ChannelHandlerContext ctx) {
        ctx.pipeline().addBefore("nearer", "loses", new Loses(ByteBuf.class));
        ctx.writeAndFlush(part());
      }
    },
    UNBROKEN_MESSAGES {
      @Override
      void addTo(ChannelPipeline pipeline) {
        pipeline.addAfter("HttpServerCodec#0", "nearer", UnbrokenStream.MESSAGES);
      }

      @Override
      void lose(ChannelHandlerContext ctx) {
        ctx.pipeline().addBefore("nearer", "loses", new Loses(HttpContent.class));
        ctx.writeAndFlush(part());
      }
    },
    /** Before the aggregator has heard: its loop has the task for that behind this one's. */
    ONE_THAT_CLOSES {
      @Override
      void addTo(ChannelPipeline pipeline) {
        pipeline.addAfter(
            "HttpServerCodec#0",
            "nearer",
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ctx.write(message, promise.unvoid())
                    .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
              }
            });
      }

      @Override
      void lose(ChannelHandlerContext ctx) {
        LosesLater loses = new LosesLater(HttpContent.class);
        ctx.pipeline().addBefore("nearer", "loses", loses);
        ctx.write(part());
        ctx.write(LastHttpContent.EMPTY_LAST_CONTENT);
        Thread.startVirtualThread(loses::lose);
      }
    },
    UNBROKEN_BYTES {
      @Override
      void addTo(ChannelPipeline pipeline) {
        pipeline.addBefore("HttpServerCodec#0", "nearer", UnbrokenStream.HANDLER);
      }

      @Override
      void lose(ChannelHandlerContext ctx) {
        GATE_OF_BYTES.lose(ctx);
      }
    };

    abstract void addTo(ChannelPipeline pipeline);

    abstract void lose(ChannelHandlerContext ctx);

    private static ChannelHandler gate(int bytes) {
      return new WriteGate(new WriteGateOptions(bytes, bytes, 100, Duration.ofMinutes(10)))
          .newHandler();
    }

    void respond(ChannelHandlerContext ctx) {
      addTo(ctx.pipeline());
      ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK));
      ctx.writeAndFlush(part()).addListener(sent -> ctx.executor().execute(() -> lose(ctx)));
    }
  }

  @ParameterizedTest
  @MethodSource("handlers")
  void theConnectionIsResetByAHandlerThatHearsOfTheLossFirst(Wire wire, Nearer nearer)
      throws Exception {
    try (Exchange exchange = new Exchange(wire, nearer::respond)) {
      exchange.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(exchange.readAll()).isInstanceOf(IOException.class);
      assertThat(exchange.received()).endsWith("\r\n\r\npart");
    }
  }

  /** Only chunks have an end of their own. */
  @ParameterizedTest
  @CsvSource({"gzip, true", "'gzip, Chunked', false", "chunked, false", "x, true"})
  void aTransferCodingHasNoEnd(String coding, boolean isReset) throws Exception {
    Consumer<ChannelHandlerContext> responder =
        ctx -> {
          DefaultHttpResponse head =
              new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
          head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, coding);
          ctx.writeAndFlush(head);
          ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpContent.class));
          ctx.writeAndFlush(part());
        };
    try (Exchange exchange = new Exchange(PLAIN, responder)) {
      exchange.send("GET / HTTP/1.1\r\n\r\n");
      Throwable end = exchange.readAll();
      assertThat(end instanceof IOException).isEqualTo(isReset);
    }
  }

  /** The client knows that there is no body. */
  @Test
  void anAnswerToHeadHasNone() throws Exception {
    Consumer<ChannelHandlerContext> responder =
        ctx -> {
          ctx.writeAndFlush(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
          ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpContent.class));
          ctx.writeAndFlush(part());
        };
    try (Exchange exchange = new Exchange(PLAIN, responder)) {
      exchange.send("HEAD / HTTP/1.1\r\n\r\n");
      assertThat(exchange.readAll()).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void aWholeOneEndsWithItsConnection(Wire wire) throws Exception {
    try (Exchange exchange = new Exchange(wire, UndelimitedResponseTest::respondWhole)) {
      exchange.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(exchange.readAll()).isNull();
      assertThat(exchange.received()).endsWith("\r\n\r\npart");
    }
  }

  private static void respondWhole(ChannelHandlerContext ctx) {
    ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK));
    ctx.write(part());
    ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
  }

  /** Nothing of the second has come, and nothing is mistaken for it. */
  @ParameterizedTest
  @MethodSource("wires")
  void theOneBeforeALostHeadArrives(Wire wire) throws Exception {
    try (Exchange exchange = new Exchange(wire, UndelimitedResponseTest::respondThenLose)) {
      exchange.send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
      assertThat(exchange.lost.await(10, TimeUnit.SECONDS)).isTrue();
      exchange.readAll();
      assertThat(exchange.received()).endsWith("x".repeat(LONG));
    }
  }

  private static void respondThenLose(ChannelHandlerContext ctx) {
    if (ctx.pipeline().get(Loses.class) == null) {
      DefaultFullHttpResponse whole =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.OK,
              Unpooled.copiedBuffer("x".repeat(LONG), US_ASCII));
      whole.headers().set(HttpHeaderNames.CONTENT_LENGTH, LONG);
      ctx.writeAndFlush(whole);
      ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpResponse.class));
    } else {
      ctx.writeAndFlush(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    }
  }

  static Stream<Arguments> slowPeers() {
    return wires()
        .flatMap(wire ->
            Stream.of(
                arguments(wire, false, false),
                arguments(wire, true, false),
                arguments(wire, false, true)));
  }

  /** An application that closes the connection as it hears that a gate is about to. */
  private static final class ClosesWhenTold extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing) {
        ctx.close();
      }
    }
  }

  /** A gate closes the connection of a peer that takes nothing, in the middle of the body. */
  @ParameterizedTest
  @MethodSource("slowPeers")
  void theConnectionIsResetForASlowPeer(Wire wire, boolean closesItself, boolean answersNext)
      throws Exception {
    WriteGate gate =
        new WriteGate(
            WriteGateOptions.within(1 << 30)
                .withChannelBytes(1 << 28)
                .withSlowPeer(1 << 16, Duration.ofMillis(100)));
    try (Exchange exchange =
        new Exchange(
            wire,
            ctx -> {
              if (ctx.pipeline().get("gate") != null) {
                if (answersNext) {
                  DefaultFullHttpResponse next = whole("next");
                  next.headers().set(HttpHeaderNames.CONTENT_LENGTH, 4);
                  ctx.writeAndFlush(next);
                }
                return; // The first is what its connection ends.
              }
              ctx.pipeline().addBefore("HttpServerCodec#0", "gate", gate.newHandler());
              ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK));
              ctx.write(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[20 << 20])));
              ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                  .addListener(ChannelFutureListener.CLOSE);
            },
            pipeline -> {
              if (closesItself) {
                pipeline.addLast(new ClosesWhenTold());
              }
            })) {
      exchange.send("GET / HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\n\r\n");
      assertThat(exchange.lost.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(exchange.readAll()).isInstanceOf(IOException.class);
    }
  }

  /** A handler flushes with the close, as some do that put flushes together. */
  @Test
  void aWholeOneThatIsFlushedWithTheCloseArrives() throws Exception {
    Consumer<ChannelHandlerContext> responder =
        ctx -> {
          ctx.pipeline().addFirst(new FlushConsolidationHandler());
          ctx.writeAndFlush(whole("whole"));
          ctx.close();
        };
    try (Exchange exchange = new Exchange(PLAIN, responder)) {
      exchange.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(exchange.readAll()).isNull();
      assertThat(exchange.received()).endsWith("whole");
    }
  }

  /** Also where its body is lost with the head: nothing of either has been flushed. */
  @Test
  void theOneBeforeALostWholeOneArrives() throws Exception {
    Consumer<ChannelHandlerContext> responder =
        ctx -> {
          if (ctx.pipeline().get(Loses.class) == null) {
            DefaultFullHttpResponse first = whole("x".repeat(4 * LONG));
            first.headers().set(HttpHeaderNames.CONTENT_LENGTH, 4 * LONG);
            ctx.writeAndFlush(first);
            ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpResponse.class));
          } else {
            ctx.writeAndFlush(whole("lost"));
          }
        };
    try (Exchange exchange = new Exchange(PLAIN, responder)) {
      exchange.send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
      assertThat(exchange.lost.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(exchange.readAll()).isNull();
      assertThat(exchange.received()).endsWith("x".repeat(4 * LONG));
    }
  }

  @Test
  void oneBehindAReplacedHandlerIsResetToo() throws Exception {
    Consumer<ChannelPipeline> replace =
        pipeline -> pipeline.replace(BudgetedHttpAggregator.class, "other", newAggregator());
    try (Exchange exchange = new Exchange(PLAIN, Loss.NOTHING::respond, replace)) {
      exchange.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(exchange.readAll()).isInstanceOf(IOException.class);
    }
  }

  private static DefaultFullHttpResponse whole(String text) {
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.copiedBuffer(text, US_ASCII));
  }

  private static DefaultHttpContent part() {
    return new DefaultHttpContent(Unpooled.copiedBuffer("part", US_ASCII));
  }

  private static BudgetedHttpAggregator newAggregator() {
    return new BudgetedHttpAggregator(
        new ByteCountAdmission(1_000, UnpooledByteBufAllocator.DEFAULT),
        AggregatorOptions.upTo(1_000));
  }

  /** A server that responds so, and a client. */
  private static final class Exchange implements AutoCloseable {
    final CountDownLatch lost = new CountDownLatch(1);
    private final EventLoopGroup loops;
    private final @Nullable SslContext tls;
    private final Channel listener;
    private final Socket plain = new Socket();
    private final Socket client;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    Exchange(Wire wire, Consumer<ChannelHandlerContext> responder) throws Exception {
      this(wire, responder, pipeline -> {});
    }

    /** What else is done with the pipeline of a connection comes before its first request. */
    Exchange(Wire wire, Consumer<ChannelHandlerContext> responder, Consumer<ChannelPipeline> change)
        throws Exception {
      loops = wire.transport().newLoops(1);
      tls = wire.engine().server(certificate);
      listener =
          Loopback.listen(
              wire.transport(),
              loops,
              UnpooledByteBufAllocator.DEFAULT,
              channel -> {
                setUp(channel.pipeline(), responder);
                change.accept(channel.pipeline());
              });
      plain.setReceiveBufferSize(8_192);
      plain.setSoTimeout(60_000);
      plain.connect((InetSocketAddress) listener.localAddress());
      client = tls == null ? plain : certificate.secure(plain);
    }

    private void setUp(ChannelPipeline pipeline, Consumer<ChannelHandlerContext> responder) {
      if (tls != null) {
        FailStopTls.addTo(pipeline, tls.newHandler(UnpooledByteBufAllocator.DEFAULT));
      }
      pipeline.addLast(
          new HttpServerCodec(),
          newAggregator(),
          new SimpleChannelInboundHandler<FullHttpRequest>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
              responder.accept(ctx);
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
              lost.countDown();
            }
          });
    }

    void send(String request) throws IOException {
      client.getOutputStream().write(request.getBytes(US_ASCII));
    }

    /** Up to the end, or to the failure that is returned. */
    @Nullable Throwable readAll() {
      Throwable end = catchThrowable(() -> client.getInputStream().transferTo(received));
      assertThat(end instanceof SocketTimeoutException).as("no end in time").isFalse();
      return end;
    }

    String received() {
      return received.toString(US_ASCII);
    }

    @Override
    public void close() throws IOException {
      plain.close();
      listener.close().syncUninterruptibly();
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
      ReferenceCountUtil.release(tls);
    }
  }
}
