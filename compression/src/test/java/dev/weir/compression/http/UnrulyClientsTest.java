package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.Streams;
import dev.weir.compression.Texts;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.http.SocketClient.Answer;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that misbehave, each on a connection of its own, towards a service that compresses and
 * decompresses between gates and an aggregator: it is answered or closed with a reason, nothing is
 * left of it, and meanwhile another client is answered by the same event loop.
 */
@ParameterizedClass
@MethodSource("codings")
@Timeout(20)
class UnrulyClientsTest {
  private static final String ECHO = "/echo";
  private static final int MAX_BYTES = 4 << 20;
  private static final int PIECE_BYTES = 16 << 10;
  private static final Duration SLOW_TIME = Duration.ofMillis(100);

  /** With more patience than a machine that is busy elsewhere ever takes. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Looks like text at first, and becomes hardly shorter: no socket has room for it. */
  private static final byte[] LONG = Texts.noise(2 << 20, 1);

  /** Arrives in several reads. */
  private static final byte[] MEDIUM;

  private static final byte[] SHORT = Texts.json(4 << 10, 2);

  static {
    System.arraycopy(Texts.json(8 << 10, 1), 0, LONG, 0, 8 << 10);
    MEDIUM = Arrays.copyOf(LONG, 256 << 10);
  }

  static Stream<Arguments> codings() {
    return Stream.of(
        Arguments.of(ContentCoding.ZSTD, EachZstd.SYSTEM),
        Arguments.of(ContentCoding.ZSTD, EachZstd.JNI),
        Arguments.of(ContentCoding.GZIP, EachZstd.JNI),
        Arguments.of(ContentCoding.BROTLI, EachZstd.JNI));
  }

  /** How the long answer is written, and the path that asks for it. */
  enum Way {
    WHOLE,
    /** By a producer that the write gate asks, as the client takes it. */
    PULLED
  }

  /** How the length of a request is told. */
  enum Length {
    DECLARED,
    CHUNKED
  }

  /** What a request has instead of a content in its coding. */
  enum Fault {
    GARBAGE("no frame where one has to begin", "no member where one has to begin", "is damaged"),
    TRUNCATED("ends within a frame", "ends within a member", "ends before its end"),
    LONGER(
        "no frame where one has to begin", "no member where one has to begin", "brotli: the input");

    private final String[] reasons;

    /** With the reason that is told for each coding. */
    Fault(String... reasons) {
      this.reasons = reasons;
    }

    String reason(ContentCoding coding) {
      return switch (coding) {
        case ZSTD -> reasons[0];
        case GZIP -> reasons[1];
        case BROTLI -> reasons[2];
      };
    }

    byte[] instead(byte[] stream) {
      return switch (this) {
        case GARBAGE -> Texts.noise(stream.length, 3);
        case TRUNCATED -> Arrays.copyOf(stream, stream.length - 1);
        case LONGER -> {
          byte[] longer = Arrays.copyOf(stream, stream.length + 1_000);
          System.arraycopy(Texts.noise(1_000, 3), 0, longer, stream.length, 1_000);
          yield longer;
        }
      };
    }
  }

  /** What a request has more of than it may. */
  enum Excess {
    RATIO("the content is more than 200 times as long as what was sent"),
    LENGTH("the content is longer than 4,194,304 bytes");

    private final String reason;

    Excess(String reason) {
      this.reason = reason;
    }

    byte[] content() {
      return this == RATIO ? new byte[MAX_BYTES - 1] : Texts.json(MAX_BYTES + 1, 4);
    }
  }

  private final ContentCoding coding;
  private final SocketServer server;
  private final AtomicLong takenBytes = new AtomicLong();
  private final AtomicInteger endedInputs = new AtomicInteger();

  /** Answers that the service has not been told the end of. */
  private final AtomicInteger openAnswers = new AtomicInteger();

  private final Queue<OutboundClosing> closings = new ConcurrentLinkedQueue<>();
  private WriteGate writeGate;

  UnrulyClientsTest(ContentCoding coding, EachZstd zstd) {
    this.coding = coding;
    server = new SocketServer(zstd.library(), /* eventLoops= */ 1);
  }

  @AfterEach
  void nothingIsLive() {
    server.close();
  }

  /**
   * Serves by handlers in the order of the guides.
   *
   * @param slowTime how long a client may leave more than 64 KiB of what there is for it
   */
  private void start(Duration slowTime) {
    ReadGate readGate = new ReadGate(new PoolHeadroom(server.memory.pool));
    writeGate = new WriteGate(WriteGateOptions.within(64L << 20).withSlowPeer(64 << 10, slowTime));
    WeirAdmission admission = new WeirAdmission(server.memory.allocator);
    AggregatorOptions bodies =
        AggregatorOptions.upTo(MAX_BYTES).withStallTimeout(PATIENCE).withIdleTimeout(PATIENCE);
    server.start(channel -> {
      channel.config().setAllowHalfClosure(true).setSendBufferSize(PIECE_BYTES);
      channel
          .pipeline()
          .addLast(
              new CountTaken(),
              readGate.newHandler(),
              writeGate.newHandler(),
              new HttpServerCodec(),
              new HttpResponseCompressor(server.compression),
              new HttpRequestDecompressor(server.compression, RequestOptions.upTo(MAX_BYTES)),
              new BudgetedHttpAggregator(admission, bodies),
              new Service());
    });
  }

  /** What has come from all clients together, and been handled. */
  private final class CountTaken extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      int bytes = ((ByteBuf) message).readableBytes();
      ctx.fireChannelRead(message);
      takenBytes.addAndGet(bytes);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      ctx.fireUserEventTriggered(event);
      if (event instanceof ChannelInputShutdownEvent) {
        endedInputs.incrementAndGet();
      }
    }
  }

  /** Answers with the long content, or a request with its own. */
  private final class Service extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      byte[] content = request.uri().equals(ECHO) ? ByteBufUtil.getBytes(request.content()) : LONG;
      ChannelFuture written;
      if (request.uri().equals("/" + Way.PULLED)) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
        HttpUtil.setTransferEncodingChunked(head, true);
        ctx.write(head);
        written = WriteGate.pull(ctx.channel(), new Pieces(content));
      } else {
        FullHttpResponse whole =
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.OK,
                ctx.alloc().directBuffer(content.length).writeBytes(content));
        whole.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
        HttpUtil.setContentLength(whole, content.length);
        written = ctx.writeAndFlush(whole);
      }
      openAnswers.incrementAndGet();
      written.addListener(ended -> openAnswers.decrementAndGet());
      if (!HttpUtil.isKeepAlive(request)) {
        written.addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing closing) {
        closings.add(closing);
      }
      ctx.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  /** Every other piece is one that the compressor puts beside others before it. */
  private static final class Pieces implements Producer {
    private static final int SHORT_PIECE_BYTES = 1 << 10;

    private final byte[] content;
    private int at;
    private boolean isShort;

    Pieces(byte[] content) {
      this.content = content;
    }

    @Override
    public void produce(Outlet outlet) {
      while (outlet.isReady()) {
        if (at == content.length) {
          outlet.write(LastHttpContent.EMPTY_LAST_CONTENT);
          outlet.complete();
          return;
        }
        isShort = !isShort;
        int bytes = Math.min(isShort ? SHORT_PIECE_BYTES : PIECE_BYTES, content.length - at);
        ByteBuf piece = outlet.alloc().directBuffer(bytes).writeBytes(content, at, bytes);
        outlet.write(new DefaultHttpContent(piece));
        at += bytes;
      }
    }
  }

  // What clients send.

  private byte[] encoded(byte[] content) {
    try (Encoder encoder = server.compression.tryEncoder(coding, -1)) {
      return Streams.encode(encoder, content, content.length, PIECE_BYTES, server.memory.allocator);
    }
  }

  private String head(String path, String... others) {
    return "POST %s HTTP/1.1\r\nhost: x\r\naccept-encoding: %s\r\ncontent-encoding: %s\r\n%s\r\n\r\n"
        .formatted(path, coding.token(), coding.token(), String.join("\r\n", others));
  }

  private static String declared(byte[] stream) {
    return "content-length: " + stream.length;
  }

  /** Sends bytes, and waits until the server has taken them. */
  private void send(SocketClient client, byte[] bytes) throws IOException {
    long taken = takenBytes.get() + bytes.length;
    client.send(bytes);
    SocketServer.await("bytes that were taken", () -> takenBytes.get() >= taken);
  }

  /** Sends a request up to the middle of its content, and waits until that is in the decoder. */
  private void sendHalf(SocketClient client, Length length) throws IOException {
    byte[] stream = encoded(MEDIUM);
    int half = stream.length / 2;
    if (length == Length.DECLARED) {
      client.send(head(ECHO, declared(stream)));
    } else {
      client.send(head(ECHO, "transfer-encoding: chunked"));
      client.send(Integer.toHexString(stream.length) + "\r\n");
    }
    send(client, Arrays.copyOf(stream, half));
    SocketServer.await(
        "half of a content",
        () -> server.hasContextInUse() && server.memory.pool.liveBlockBytes() > half / 2);
  }

  /** Asks for what no socket has room for, and waits until it is what the client does not take. */
  private void ask(SocketClient client, Way way) throws IOException {
    byte[] stream = encoded(SHORT);
    client.send(head("/" + way, declared(stream)));
    send(client, stream);
    SocketServer.await(
        "an answer that waits for its client", () -> writeGate.queuedBytes() > PIECE_BYTES);
  }

  // What comes of it.

  private void assertIsContent(Answer answer, byte[] content) {
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.coding()).isEqualTo(coding.token());
    try (Decoder decoder = server.compression.decoder(coding)) {
      byte[] decoded =
          Streams.decode(
              decoder, answer.content(), PIECE_BYTES, PIECE_BYTES, server.memory.allocator);
      assertThat(Arrays.equals(decoded, content)).as("the content came as it was").isTrue();
    }
  }

  private void assertServesAnother() throws IOException {
    try (SocketClient healthy = new SocketClient(server.address())) {
      byte[] stream = encoded(SHORT);
      healthy.send(head(ECHO, declared(stream), "connection: close"));
      healthy.send(stream);
      assertIsContent(healthy.answer(), SHORT);
      assertThat(healthy.isAtEnd()).isTrue();
    }
  }

  private void assertNothingIsLeft() {
    server.assertNothingIsLeft();
    assertThat(writeGate.queuedBytes()).as("queued").isZero();
    assertThat(openAnswers.get()).as("answers whose end was not told").isZero();
    assertThat(writeGate.refusals() + writeGate.brokenClosings()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void whoEndsItsSideBehindARequestGetsAllOfTheAnswer(Way way) throws IOException {
    start(PATIENCE);
    try (SocketClient client = new SocketClient(server.address())) {
      ask(client, way);
      client.halfClose();
      SocketServer.await("the end of the client's side", () -> endedInputs.get() == 1);
      assertServesAnother();
      assertIsContent(client.answer(), LONG);
      assertThat(client.isAtEnd()).isTrue();
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoEndsItsSideWithinAContentIsToldSo(Length length) throws IOException {
    start(PATIENCE);
    try (SocketClient client = new SocketClient(server.address())) {
      sendHalf(client, length);
      assertServesAnother();
      client.halfClose();
      Answer answer = client.answer();
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).isEqualTo("body cut short\n");
      assertThat(client.isAtEnd()).isTrue();
      assertNothingIsLeft();
    }
    assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfAResetWithinARequest(Length length) throws IOException {
    start(PATIENCE);
    SocketClient client = new SocketClient(server.address());
    sendHalf(client, length);
    assertServesAnother();
    client.reset();
    assertNothingIsLeft();
    assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfAResetWithinAnAnswer(Way way) throws IOException {
    start(PATIENCE);
    SocketClient client = new SocketClient(server.address());
    ask(client, way);
    client.takeSome();
    assertThat(server.hasContextInUse()).isEqualTo(way == Way.PULLED);
    assertServesAnother();
    client.reset();
    assertNothingIsLeft();
    assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void aContentThatCannotBeDecompressedIsABadRequest(Fault fault) throws IOException {
    assertIsRefused(fault.instead(encoded(MEDIUM)), 400, fault.reason(coding));
  }

  @ParameterizedTest
  @EnumSource
  void aContentThatBecomesTooMuchIsRefused(Excess excess) throws IOException {
    assertIsRefused(encoded(excess.content()), 413, excess.reason);
  }

  private void assertIsRefused(byte[] sent, int status, String reason) throws IOException {
    start(PATIENCE);
    try (SocketClient client = new SocketClient(server.address())) {
      client.send(head(ECHO, declared(sent)));
      client.send(sent);
      Answer answer = client.answer();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.text()).contains(reason);
      // The client has a moment to read that.
      assertServesAnother();
      client.halfClose();
      assertThat(client.isAtEnd()).isTrue();
      assertNothingIsLeft();
    }
    assertServesAnother();
  }

  @Test
  void whoSendsByteByByteIsAnswered() throws IOException {
    start(PATIENCE);
    try (SocketClient client = new SocketClient(server.address())) {
      byte[] stream = encoded(SHORT);
      send(client, head(ECHO, declared(stream)).getBytes(StandardCharsets.US_ASCII));
      for (int at = 0; at < stream.length; at++) {
        if (at == stream.length / 2) {
          assertThat(server.hasContextInUse()).isTrue();
          assertServesAnother();
        }
        send(client, new byte[] {stream[at]});
      }
      assertIsContent(client.answer(), SHORT);
      client.halfClose();
      assertThat(client.isAtEnd()).isTrue();
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoNeverReadsIsClosed(Way way) throws IOException {
    start(SLOW_TIME);
    try (SocketClient client = new SocketClient(server.address())) {
      ask(client, way);
      assertServesAnother();
      // The client is there all the time.
      assertNothingIsLeft();
      assertThat(writeGate.slowClosings()).isEqualTo(1);
      assertThat(closings)
          .extracting(OutboundClosing::message)
          .containsExactly("the peer has left more than 65536 bytes queued for PT0.1S");
      assertServesAnother();
    }
  }
}
