package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.HeldCleaner;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Streams;
import dev.weir.compression.Texts;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Streams of HTTP/2 whose client opens no window, of a service that compresses behind a write gate:
 * each is reset with a reason, nothing is left of it, and the others go on.
 */
@ParameterizedClass
@MethodSource("codings")
class UnrulyStreamsTest {
  private static final int WINDOW_BYTES = 16 << 10;
  private static final int PIECE_BYTES = 8 << 10;
  private static final Duration SLOW_TIME = Duration.ofSeconds(30);

  /** Looks like text at first, and becomes hardly shorter. */
  private static final byte[] CONTENT = Texts.noise(512 << 10, 1);

  static {
    System.arraycopy(Texts.json(8 << 10, 1), 0, CONTENT, 0, 8 << 10);
  }

  static Stream<Arguments> codings() {
    return GatedService.codings();
  }

  /** How an answer is written, and the path that asks for it. */
  enum Way {
    WHOLE,
    /** By a producer that the write gate asks, as the client takes it. */
    PULLED
  }

  /** What the client has got of a stream. */
  private static final class Received {
    private Http2Headers head;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long error = -1;
    private boolean ended;
  }

  private final ContentCoding coding;
  private final MemoryUnderTest memory = new MemoryUnderTest();
  private final HeldCleaner cleaner = new HeldCleaner();
  private final Compression compression;
  private final WriteGate gate =
      new WriteGate(WriteGateOptions.within(16 << 20).withSlowPeer(4 << 10, SLOW_TIME));
  private final List<OutboundClosing> closings = new ArrayList<>();
  private final Map<Http2FrameStream, Received> received = new HashMap<>();
  private final List<Http2FrameStream> windowless = new ArrayList<>();
  private final Http2ChannelDuplexHandler streams = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client =
      new EmbeddedChannel(
          Http2FrameCodecBuilder.forClient()
              .initialSettings(Http2Settings.defaultSettings().initialWindowSize(WINDOW_BYTES))
              .build(),
          streams);
  private final EmbeddedChannel server =
      new EmbeddedChannel(
          Http2FrameCodecBuilder.forServer().build(),
          new Http2MultiplexHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                  initStream(stream);
                }
              }));

  UnrulyStreamsTest(ContentCoding coding, EachZstd zstd) {
    this.coding = coding;
    compression = memory.compression(zstd.library(), CompressionOptions.DEFAULT);
    server.config().setAllocator(memory.allocator);
    server.freezeTime();
    exchange();
  }

  private void initStream(Channel stream) {
    stream.config().setAllocator(memory.allocator);
    stream
        .pipeline()
        .addLast(
            gate.newHandler(),
            new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true),
            new HttpResponseCompressor(compression),
            new Service());
  }

  @AfterEach
  void nothingIsLive() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
    compression.close();
    try {
      memory.close();
    } finally {
      cleaner.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneThatIsGivenNoWindowIsResetAndTheOthersGoOn(Way way) {
    Http2FrameStream early = ask(way, /* takes= */ true);
    assertWhole(early);
    Http2FrameStream slow = ask(way, /* takes= */ false);
    Received ofSlow = received.get(slow);
    assertThat(ofSlow.head.get(HttpHeaderNames.CONTENT_ENCODING)).hasToString(coding.token());
    assertThat(ofSlow.body.size()).isEqualTo(WINDOW_BYTES);
    assertThat(gate.queuedBytes()).isGreaterThan(gate.options().slowBytes());

    pass(SLOW_TIME.minusSeconds(1));
    assertThat(ofSlow.error).isNegative();
    assertWhole(ask(way, /* takes= */ true));
    pass(Duration.ofSeconds(1));
    assertThat(ofSlow.error).isEqualTo(Http2Error.CANCEL.code());
    assertThat(closings)
        .extracting(OutboundClosing::reason)
        .containsExactly(OutboundClosing.Reason.SLOW_PEER);
    assertThat(gate.slowClosings()).isOne();
    assertThat(gate.queuedBytes()).isZero();
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();

    assertThat(server.isActive()).isTrue();
    assertWhole(ask(way, /* takes= */ true));
  }

  @ParameterizedTest
  @EnumSource
  void onesThatAreResetOrLoseTheirConnectionLeaveNothing(Way way) {
    Http2FrameStream reset = ask(way, /* takes= */ false);
    ask(way, /* takes= */ false);
    assertThat(gate.queuedBytes()).isGreaterThan(gate.options().slowBytes());
    client.writeOutbound(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(reset));
    exchange();
    server.close();
    exchange();
    assertThat(gate.queuedBytes()).isZero();
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();
  }

  private Http2FrameStream ask(Way way, boolean takes) {
    Http2FrameStream stream = streams.newStream();
    received.put(stream, new Received());
    if (!takes) {
      windowless.add(stream);
    }
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers()
                    .method("GET")
                    .scheme("http")
                    .path("/" + way)
                    .authority("weir")
                    .set(HttpHeaderNames.ACCEPT_ENCODING, coding.token()),
                /* endStream= */ true)
            .stream(stream));
    exchange();
    return stream;
  }

  private void assertWhole(Http2FrameStream stream) {
    Received whole = received.get(stream);
    assertThat(whole.ended).isTrue();
    byte[] bytes = whole.body.toByteArray();
    try (Decoder decoder = compression.decoder(coding)) {
      assertThat(Streams.decode(decoder, bytes, bytes.length, 64 << 10, memory.allocator))
          .isEqualTo(CONTENT);
    }
  }

  /** Time passes at the server. */
  private void pass(Duration time) {
    server.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    server.runScheduledPendingTasks();
    exchange();
  }

  /** Carries bytes both ways, until none are left. */
  private void exchange() {
    boolean moved = true;
    while (moved) {
      moved = move(client, server) | move(server, client);
      for (Object frame = client.readInbound(); frame != null; frame = client.readInbound()) {
        receive(frame);
        ReferenceCountUtil.release(frame);
      }
    }
  }

  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    boolean moved = false;
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      moved = true;
    }
    return moved;
  }

  private void receive(Object frame) {
    if (frame instanceof Http2HeadersFrame head) {
      received.get(head.stream()).head = head.headers();
    } else if (frame instanceof Http2ResetFrame reset) {
      received.get(reset.stream()).error = reset.errorCode();
    } else if (frame instanceof Http2DataFrame data) {
      Received of = received.get(data.stream());
      of.body.writeBytes(ByteBufUtil.getBytes(data.content()));
      of.ended |= data.isEndStream();
      if (!windowless.contains(data.stream()) && data.initialFlowControlledBytes() > 0) {
        client.writeOutbound(
            new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes())
                .stream(data.stream()));
      }
    }
  }

  /** Answers with the content. */
  private final class Service extends SimpleChannelInboundHandler<HttpObject> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
      if (!(part instanceof HttpRequest request)) {
        return;
      }
      if (request.uri().equals("/" + Way.PULLED)) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
        ctx.write(head);
        WriteGate.pull(ctx.channel(), new Pieces());
      } else {
        FullHttpResponse whole =
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.OK,
                ctx.alloc().directBuffer(CONTENT.length).writeBytes(CONTENT));
        whole.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
        ctx.writeAndFlush(whole);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing closing) {
        closings.add(closing);
      }
      ctx.fireUserEventTriggered(event);
    }
  }

  private static final class Pieces implements Producer {
    private int at;

    @Override
    public void produce(Outlet outlet) {
      while (outlet.isReady()) {
        if (at == CONTENT.length) {
          outlet.write(LastHttpContent.EMPTY_LAST_CONTENT);
          outlet.complete();
          return;
        }
        ByteBuf piece = outlet.alloc().directBuffer(PIECE_BYTES);
        outlet.write(new DefaultHttpContent(piece.writeBytes(CONTENT, at, PIECE_BYTES)));
        at += PIECE_BYTES;
      }
    }
  }
}
