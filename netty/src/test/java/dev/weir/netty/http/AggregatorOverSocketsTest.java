package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same over sockets, where TCP pushes back. The server answers with the body's CRC. */
@Timeout(120)
@ParameterizedClass
@MethodSource("setups")
class AggregatorOverSocketsTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int BODY_BYTES = MemoryUnderTest.BODY_BYTES;
  private static final AggregatorOptions OPTIONS = AggregatorOptions.upTo(BODY_BYTES);
  private static final int HALF_BYTES = BODY_BYTES / 2;
  private static final String CHUNKED_HEAD =
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final MemoryUnderTest memory;
  private final TransportUnderTest transport;
  private AggregatingServer server;

  static Stream<Arguments> setups() {
    return Stream.concat(
        TransportUnderTest.available()
            .map(transport -> Arguments.of(MemoryUnderTest.Kind.WEIR, transport)),
        Stream.of(Arguments.of(MemoryUnderTest.Kind.NETTY_BEHIND_A_COUNT, TransportUnderTest.NIO)));
  }

  AggregatorOverSocketsTest(MemoryUnderTest.Kind kind, TransportUnderTest transport) {
    this.transport = transport;
    memory = MemoryUnderTest.of(kind);
  }

  @BeforeEach
  void listen() {
    listen(transport, OPTIONS.withAdmissionDeadline(LONG));
  }

  private void listen(TransportUnderTest over, AggregatorOptions options) {
    server =
        new AggregatingServer(
            over,
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
  void aConnectionBetweenTwoRequestsEndsInTime() throws Exception {
    server.stop();
    listen(transport, OPTIONS.withIdleTimeout(Duration.ofMillis(300)));
    try (Socket client = new Socket()) {
      client.connect(server.address());
      byte[] body = body(1, 1_000);
      for (int i = 0; i < 3; i++) {
        client
            .getOutputStream()
            .write(head(body.length).replace("close", "keep-alive").getBytes(US_ASCII));
        client.getOutputStream().write(body);
      }
      String answers = new String(client.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answers.split("HTTP/1.1 200")).hasSize(4);
      assertThat(answers).doesNotContain(" 408 ");
    }
  }

  /** Each holds half of what it needs, and all of them together hold all that there is. */
  @Test
  void chunkedBodiesThatWaitForEachOtherEndByTheirDeadline() throws Exception {
    server.stop();
    // What io_uring has ready to read with would be taken for parts of bodies.
    listen(TransportUnderTest.NIO, OPTIONS.withAdmissionDeadline(Duration.ofMillis(300)));
    List<Permit> all = memory.fill(BODY_BYTES);
    all.forEach(Permit::close);
    // One less than there is room for: connections are read from by buffers, too.
    int clients = 2 * (all.size() - 1);
    CountDownLatch full = new CountDownLatch(1);
    List<Future<String>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < clients; i++) {
        int seed = i;
        answers.add(threads.submit(() -> uploadInHalves(seed, full)));
      }
      while (memory.held().getAsLong() < clients * HALF_BYTES
          && answers.stream().noneMatch(Future::isDone)
          && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(100_000);
      }
      List<Permit> rest = new ArrayList<>(memory.fill(HALF_BYTES));
      full.countDown();
      // What was held included buffers that connections read with: as they go, others get room.
      while (answers.stream().noneMatch(AggregatorOverSocketsTest::isRefused)
          && !answers.stream().allMatch(Future::isDone)) {
        rest.addAll(memory.fill(HALF_BYTES));
        LockSupport.parkNanos(100_000);
      }
      int refused = 0;
      for (int i = 0; i < clients; i++) {
        String answer = answers.get(i).get();
        if (isRefused(answers.get(i))) {
          refused++;
        } else {
          assertThat(answer).startsWith("HTTP/1.1 200").endsWith(crc(body(i, BODY_BYTES)));
        }
      }
      rest.forEach(Permit::close);
      assertThat(refused).isPositive();
    }
  }

  private static boolean isRefused(Future<String> answer) {
    return answer.state() == Future.State.SUCCESS && answer.resultNow().startsWith("HTTP/1.1 503");
  }

  private String uploadInHalves(int seed, CountDownLatch full)
      throws IOException, InterruptedException {
    try (Socket client = connect()) {
      client.setSoTimeout(30_000);
      byte[] body = body(seed, BODY_BYTES);
      client.getOutputStream().write(CHUNKED_HEAD.getBytes(US_ASCII));
      sendChunk(client, body, 0, HALF_BYTES);
      full.await();
      sendChunk(client, body, HALF_BYTES, HALF_BYTES);
      client.getOutputStream().write("0\r\n\r\n".getBytes(US_ASCII));
      return readUntilEnd(client);
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

  /** Each permit that is closed makes room for one of them. */
  @Test
  void whoCameFirstIsAdmittedFirst() throws Exception {
    List<Permit> all = memory.fill();
    List<Socket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Socket client = connect();
        client.setSoTimeout(30_000);
        clients.add(client);
        String head = head(BODY_BYTES).replace("Host", "Expect: 100-continue\r\nHost");
        client.getOutputStream().write(head.getBytes(US_ASCII));
        while (server.connections.stream().filter(each -> !each.config().isAutoRead()).count() <= i
            && !Thread.currentThread().isInterrupted()) {
          Thread.onSpinWait();
        }
      }
      for (Socket client : clients) {
        all.removeLast().close();
        assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
            .isEqualTo("HTTP/1.1 100");
      }
    } finally {
      all.forEach(Permit::close);
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  /** What it has sent stays in the kernel until there is room for it, and so does its end. */
  @Test
  void aClientThatEndsItsSideWhileItWaitsIsServed() throws Exception {
    byte[] body = body(1, 100_000);
    List<Permit> all = memory.fill(body.length);
    try (Socket client = connect()) {
      client.setSoTimeout(30_000);
      client.getOutputStream().write(head(body.length).getBytes(US_ASCII));
      Channel connection = firstConnection();
      awaitAutoRead(connection, /* expected= */ false);
      client.getOutputStream().write(body);
      client.shutdownOutput();
      // Loops that are told of the end are told before the second task.
      for (int i = 0; i < 3; i++) {
        connection.eventLoop().submit(() -> {}).sync();
      }
      assertThat(connection.isActive()).isTrue();
      all.forEach(Permit::close);
      assertThat(new String(client.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 200")
          .endsWith(crc(body));
    }
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
        client.getOutputStream().write(CHUNKED_HEAD.getBytes(US_ASCII));
        for (int from = 0; from < bytes; from += 10_000) {
          sendChunk(client, body, from, Math.min(10_000, bytes - from));
        }
        client.getOutputStream().write("0\r\n\r\n".getBytes(US_ASCII));
      } else {
        client.getOutputStream().write(head(bytes).getBytes(US_ASCII));
        client.getOutputStream().write(body);
      }
      return readUntilEnd(client);
    }
  }

  private static void sendChunk(Socket client, byte[] body, int from, int length)
      throws IOException {
    client.getOutputStream().write((Integer.toHexString(length) + "\r\n").getBytes(US_ASCII));
    client.getOutputStream().write(body, from, length);
    client.getOutputStream().write("\r\n".getBytes(US_ASCII));
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
      boolean last = !HttpUtil.isKeepAlive(request);
      ctx.writeAndFlush(response)
          .addListener(done -> {
            if (last) {
              ctx.close();
            }
          });
    }
  }
}
