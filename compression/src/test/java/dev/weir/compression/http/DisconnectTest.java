package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Compression;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Streams;
import dev.weir.compression.Texts;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.zstd.EachZstd;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that vanish in the middle of a response or a request, over real sockets. */
@ParameterizedClass
@EnumSource(EachZstd.class)
@Timeout(120)
class DisconnectTest {
  private static final int CLIENTS = 100;
  private static final int PARTS = 12;
  private static final byte[] PART = Texts.json(64 << 10, 1);

  private final SocketServer server;
  private final MemoryUnderTest memory;
  private final Compression compression;
  private final AtomicLong decodedBytes = new AtomicLong();

  DisconnectTest(EachZstd zstd) {
    server = new SocketServer(zstd.library(), /* eventLoops= */ 2);
    memory = server.memory;
    compression = server.compression;
  }

  @BeforeEach
  void start() {
    server.start(channel ->
        channel
            .pipeline()
            .addLast(
                new HttpServerCodec(),
                new HttpRequestDecompressor(compression, RequestOptions.upTo(16 << 20)),
                new HttpResponseCompressor(compression),
                new Uploads(),
                new Responder()));
  }

  @AfterEach
  void nothingIsLive() {
    server.close();
  }

  /** Takes what comes of requests. */
  private final class Uploads extends SimpleChannelInboundHandler<HttpContent> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpContent content) {
      decodedBytes.addAndGet(content.content().readableBytes());
    }
  }

  /** Writes it all at once, whether the client reads or not. */
  private static final class Responder extends SimpleChannelInboundHandler<HttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpRequest request) {
      if (request.method().equals(HttpMethod.POST)) {
        return; // Answered when all of it is there, which never is.
      }
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
      ctx.write(head);
      for (int i = 0; i < PARTS; i++) {
        ctx.writeAndFlush(
            new DefaultHttpContent(ctx.alloc().directBuffer(PART.length).writeBytes(PART)));
      }
      if (request.uri().equals("/whole")) {
        ctx.writeAndFlush(new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
        ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private Socket ask(String path, String coding) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4 << 10);
    socket.connect(server.address());
    String request =
        "GET " + path + " HTTP/1.1\r\nhost: x\r\naccept-encoding: " + coding + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    assertThat(socket.getInputStream().read()).isEqualTo('H');
    return socket;
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "gzip", "br"})
  void nothingIsLeftOfClientsThatReset(String coding) throws IOException {
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket = ask(i % 2 == 0 ? "/whole" : "/part", coding);
      socket.setSoLinger(true, 0);
      socket.close();
    }
    server.assertNothingIsLeft();
  }

  /** At once, or when a part has come to the application. */
  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfClientsThatResetWithinARequest(ContentCoding coding) throws IOException {
    byte[] stream;
    try (Encoder encoder = compression.tryEncoder(coding, -1)) {
      byte[] content = Texts.json(1 << 20, 2);
      stream = Streams.encode(encoder, content, content.length, 64 << 10, memory.allocator);
    }
    for (int i = 0; i < CLIENTS; i++) {
      long before = decodedBytes.get();
      Socket socket = new Socket();
      socket.connect(server.address());
      String head =
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: %s\r\ncontent-length: %d\r\n\r\n"
              .formatted(coding.token(), stream.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(stream, 0, stream.length / 2);
      if (i % 2 == 0) {
        // Some of it may be what came of the client before; the context is this one's.
        SocketServer.await(
            "a part of a request", () -> decodedBytes.get() > before && server.hasContextInUse());
      }
      socket.setSoLinger(true, 0);
      socket.close();
    }
    server.awaitConnections(CLIENTS);
    server.assertNothingIsLeft();
  }

  @Test
  void nothingIsLeftWhenTheEventLoopsEnd() throws IOException {
    Socket[] sockets = new Socket[20];
    for (int i = 0; i < sockets.length; i++) {
      sockets[i] = ask("/part", "zstd");
    }
    assertThat(memory.budget.chargedBytes()).isPositive();
    server.endLoops();
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
