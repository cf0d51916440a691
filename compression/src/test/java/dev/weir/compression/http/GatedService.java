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
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A service that compresses and decompresses between gates and an aggregator, by one event loop,
 * and what its clients send in one coding. Whoever misbehaves is answered or closed with a reason,
 * nothing is left of it, and meanwhile another client is answered.
 */
final class GatedService implements AutoCloseable {
  static final String ECHO = "/echo";
  static final int MAX_BYTES = 4 << 20;
  private static final int PIECE_BYTES = 16 << 10;

  /** With more patience than a machine that is busy elsewhere ever takes. */
  static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Looks like text at first, and becomes hardly shorter: no socket has room for it. */
  static final byte[] LONG = Texts.noise(2 << 20, 1);

  /** Arrives in several reads. */
  static final byte[] MEDIUM;

  static final byte[] SHORT = Texts.json(4 << 10, 2);

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

  private final ContentCoding coding;
  final SocketServer server;
  private final AtomicLong takenBytes = new AtomicLong();
  final AtomicInteger endedInputs = new AtomicInteger();

  /** Answers that the service has not been told the end of. */
  private final AtomicInteger openAnswers = new AtomicInteger();

  final Queue<OutboundClosing> closings = new ConcurrentLinkedQueue<>();
  WriteGate writeGate;

  GatedService(ContentCoding coding, EachZstd zstd) {
    this.coding = coding;
    server = new SocketServer(zstd.library(), /* eventLoops= */ 1);
  }

  /**
   * Serves by handlers in the order of the guides.
   *
   * @param slowTime how long a client may leave more than 64 KiB of what there is for it
   */
  void start(Duration slowTime) {
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

  byte[] encoded(byte[] content) {
    try (Encoder encoder = server.compression.tryEncoder(coding, -1)) {
      return Streams.encode(encoder, content, content.length, PIECE_BYTES, server.memory.allocator);
    }
  }

  String head(String path, String... others) {
    return "POST %s HTTP/1.1\r\nhost: x\r\naccept-encoding: %s\r\ncontent-encoding: %s\r\n%s\r\n\r\n"
        .formatted(path, coding.token(), coding.token(), String.join("\r\n", others));
  }

  static String declared(byte[] stream) {
    return "content-length: " + stream.length;
  }

  /** Sends bytes, and waits until the server has taken them. */
  void send(SocketClient client, byte[] bytes) throws IOException {
    long taken = takenBytes.get() + bytes.length;
    client.send(bytes);
    SocketServer.await("bytes that were taken", () -> takenBytes.get() >= taken);
  }

  /** Asks for what no socket has room for, and waits until it is what the client does not take. */
  void ask(SocketClient client, Way way) throws IOException {
    byte[] stream = encoded(SHORT);
    client.send(head("/" + way, declared(stream)));
    send(client, stream);
    SocketServer.await(
        "an answer that waits for its client", () -> writeGate.queuedBytes() > PIECE_BYTES);
  }

  // What comes of it.

  void assertIsContent(Answer answer, byte[] content) {
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.coding()).isEqualTo(coding.token());
    try (Decoder decoder = server.compression.decoder(coding)) {
      byte[] decoded =
          Streams.decode(
              decoder, answer.content(), PIECE_BYTES, PIECE_BYTES, server.memory.allocator);
      assertThat(Arrays.equals(decoded, content)).as("the content came as it was").isTrue();
    }
  }

  void assertServesAnother() throws IOException {
    try (SocketClient healthy = new SocketClient(server.address())) {
      byte[] stream = encoded(SHORT);
      healthy.send(head(ECHO, declared(stream), "connection: close"));
      healthy.send(stream);
      assertIsContent(healthy.answer(), SHORT);
      assertThat(healthy.isAtEnd()).isTrue();
    }
  }

  void assertNothingIsLeft() {
    server.assertNothingIsLeft();
    assertThat(writeGate.queuedBytes()).as("queued").isZero();
    assertThat(openAnswers.get()).as("answers whose end was not told").isZero();
    assertThat(writeGate.refusals() + writeGate.brokenClosings()).isZero();
  }

  /** Nothing may be live. */
  @Override
  public void close() {
    server.close();
  }
}
