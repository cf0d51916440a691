package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The same over NIO sockets, where TCP pushes back. The server answers with the body's CRC. */
@Timeout(120)
@ParameterizedClass
@EnumSource(MemoryUnderTest.Kind.class)
class AggregatorOverSocketsTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int BODY_BYTES = MemoryUnderTest.BODY_BYTES;

  private final MemoryUnderTest memory;
  private AggregatingServer server;

  AggregatorOverSocketsTest(MemoryUnderTest.Kind kind) {
    memory = MemoryUnderTest.of(kind);
  }

  @BeforeEach
  void listen() {
    AggregatorOptions options = AggregatorOptions.upTo(BODY_BYTES).withAdmissionDeadline(LONG);
    server =
        new AggregatingServer(
            memory.allocator(),
            () -> new BudgetedHttpAggregator(memory.admission(), options),
            AnswerWithCrc::new);
  }

  @AfterEach
  void nothingIsHeld() throws InterruptedException {
    server.stop();
    assertThat(memory.held().getAsLong()).isZero();
  }

  @Test
  void moreUploadsThanThereIsRoomForAllArriveWhole() throws Exception {
    List<Callable<String>> uploads = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      int seed = i;
      // Three chunked ones fit at once. More could each hold a part, and wait for each other's end.
      uploads.add(() -> upload(seed, BODY_BYTES - seed, /* chunked= */ seed % 8 == 7));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      int i = 0;
      for (Future<String> answer : threads.invokeAll(uploads)) {
        byte[] body = body(i, BODY_BYTES - i);
        i++;
        assertThat(answer.get()).endsWith(crc(body));
      }
    }
  }

  @Test
  void aClientThatHasToWaitCannotSendItsBodyYet() throws Exception {
    List<Permit> all = memory.fill();
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        answer.complete(upload(1, BODY_BYTES, /* chunked= */ false));
      } catch (IOException e) {
        answer.completeExceptionally(e);
      }
    });
    Channel connection = firstConnection();
    awaitAutoRead(connection, /* expected= */ false);
    assertThat(answer).isNotDone();
    all.forEach(Permit::close);
    assertThat(answer.get()).endsWith(crc(body(1, BODY_BYTES)));
  }

  @Test
  void aResetInMidBodyReleasesIt() throws Exception {
    Channel connection;
    try (Socket client = connect()) {
      client.getOutputStream().write(head(BODY_BYTES).getBytes(US_ASCII));
      client.getOutputStream().write(body(1, 100_000));
      connection = firstConnection();
      while (memory.held().getAsLong() < BODY_BYTES) {
        Thread.onSpinWait();
      }
      client.setSoLinger(true, 0);
    }
    connection.closeFuture().sync();
    while (memory.held().getAsLong() != 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aClientThatResetsWhileItWaitsIsForgottenAtItsTurn() throws Exception {
    List<Permit> all = memory.fill();
    Channel connection;
    try (Socket client = connect()) {
      client.getOutputStream().write(head(BODY_BYTES).getBytes(US_ASCII));
      connection = firstConnection();
      awaitAutoRead(connection, /* expected= */ false);
      client.setSoLinger(true, 0);
    }
    all.forEach(Permit::close);
    connection.closeFuture().sync();
    while (memory.held().getAsLong() != 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aClientThatSendsTooMuchCanReadWhy() throws Exception {
    try (Socket client = connect()) {
      client.getOutputStream().write(head(2 * BODY_BYTES).getBytes(US_ASCII));
      client.getOutputStream().write(body(1, 200_000));
      String answer = readUntilEnd(client);
      assertThat(answer).startsWith("HTTP/1.1 413 ").contains("maximum of 1048576 bytes");
    }
  }

  private Channel firstConnection() {
    while (server.connections.isEmpty()) {
      Thread.onSpinWait();
    }
    return server.connections.iterator().next();
  }

  private static void awaitAutoRead(Channel connection, boolean expected) {
    while (connection.config().isAutoRead() != expected) {
      Thread.onSpinWait();
    }
  }

  private Socket connect() throws IOException {
    InetSocketAddress address = server.address();
    return new Socket(address.getAddress(), address.getPort());
  }

  private static String head(int bytes) {
    return "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
        + bytes
        + "\r\n\r\n";
  }

  private String upload(int seed, int bytes, boolean chunked) throws IOException {
    try (Socket client = connect()) {
      byte[] body = body(seed, bytes);
      if (chunked) {
        client
            .getOutputStream()
            .write(
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .getBytes(US_ASCII));
        for (int from = 0; from < bytes; from += 10_000) {
          int length = Math.min(10_000, bytes - from);
          client.getOutputStream().write((Integer.toHexString(length) + "\r\n").getBytes(US_ASCII));
          client.getOutputStream().write(body, from, length);
          client.getOutputStream().write("\r\n".getBytes(US_ASCII));
        }
        client.getOutputStream().write("0\r\n\r\n".getBytes(US_ASCII));
      } else {
        client.getOutputStream().write(head(bytes).getBytes(US_ASCII));
        client.getOutputStream().write(body);
      }
      return readUntilEnd(client);
    }
  }

  private static String readUntilEnd(Socket client) throws IOException {
    client.shutdownOutput();
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }

  private static byte[] body(int seed, int bytes) {
    byte[] body = new byte[bytes];
    new java.util.Random(seed).nextBytes(body);
    return body;
  }

  private static String crc(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    return Long.toHexString(crc.getValue());
  }

  private static final class AnswerWithCrc extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      byte[] bytes = new byte[request.content().readableBytes()];
      request.content().readBytes(bytes);
      ByteBuf answer = ctx.alloc().buffer();
      answer.writeCharSequence(crc(bytes), US_ASCII);
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, answer);
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.readableBytes());
      ctx.writeAndFlush(response).addListener(done -> ctx.close());
    }
  }
}
