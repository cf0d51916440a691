package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that go to files, over sockets. The server answers with the body's CRC. */
@Timeout(120)
class SpillTest {
  private static final int THRESHOLD_BYTES = 256 << 10;
  private static final int MAXIMUM_BYTES = 64 << 20;
  private static final long FILE_BYTES = 32 << 20;

  @TempDir private Path folder;

  private final MemoryUnderTest memory = MemoryUnderTest.of(MemoryUnderTest.Kind.WEIR);
  private final BlockingQueue<FullHttpRequest> kept = new LinkedBlockingQueue<>();
  private volatile boolean keeps;
  private volatile boolean full;
  private Spill spill;
  private AggregatingServer server;

  @BeforeEach
  void listen() throws IOException {
    spill = new Spill(folder, FILE_BYTES, THRESHOLD_BYTES, Duration.ofMillis(10));
    AggregatorOptions options = AggregatorOptions.upTo(MAXIMUM_BYTES);
    server =
        new AggregatingServer(
            TransportUnderTest.NIO,
            memory.allocator(),
            () -> new BudgetedHttpAggregator(this::admit, options, spill),
            Answer::new);
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    server.stop();
    while ((memory.held().getAsLong() != 0 || spill.usedBytes() != 0)
        && !Thread.currentThread().isInterrupted()) {
      // What waits for the disk ends on threads of its own.
      Thread.onSpinWait();
    }
    assertThat(memory.held().getAsLong()).isZero();
    assertThat(spill.usedBytes()).isZero();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void largeBodiesGoToAFileAndArriveWhole(boolean chunked) throws Exception {
    byte[] body = body(3 << 20);
    try (Socket client = connect()) {
      send(client, body, chunked);
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 200").endsWith(crc(body));
    }
    assertThat(spill.bodies()).isEqualTo(1);
  }

  @Test
  void manySmallChunksArriveWholeInAFile() throws Exception {
    String chunk = "5\r\nchunk\r\n";
    int chunks = 100_000;
    try (Socket client = connect()) {
      OutputStream output = client.getOutputStream();
      output.write(head("Transfer-Encoding: chunked").getBytes(US_ASCII));
      output.write((chunk.repeat(chunks) + "0\r\n\r\n").getBytes(US_ASCII));
      assertThat(readUntilEnd(client))
          .startsWith("HTTP/1.1 200")
          .endsWith(crc("chunk".repeat(chunks).getBytes(US_ASCII)));
    }
    assertThat(spill.bodies()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void smallBodiesStayInMemory(boolean chunked) throws Exception {
    byte[] body = body(THRESHOLD_BYTES);
    try (Socket client = connect()) {
      send(client, body, chunked);
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 200").endsWith(crc(body));
    }
    assertThat(spill.bodies()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void smallBodiesGoToAFileWhenMemoryDoesNotCome(boolean chunked) throws Exception {
    full = true;
    byte[] body = body(THRESHOLD_BYTES);
    try (Socket client = connect()) {
      send(client, body, chunked);
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 200").endsWith(crc(body));
    }
    assertThat(spill.bodies()).isEqualTo(1);
  }

  @Test
  void aRequestThatIsKeptKeepsItsFile() throws Exception {
    keeps = true;
    byte[] body = body(1 << 20);
    try (Socket client = connect()) {
      send(client, body, /* chunked= */ false);
      FullHttpRequest request = kept.take();
      assertThat(spill.usedBytes()).isEqualTo(body.length);
      assertThat(request.content().nioBufferCount()).isEqualTo(1);
      assertThat(crc(request)).isEqualTo(crc(body));
      request.release();
    }
  }

  @Test
  void onlyTheOwnerCanOpenFiles() throws Exception {
    assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"), "POSIX only");
    Path made = folder.resolve("made");
    Spill own = new Spill(made, 1, 0, Duration.ofMillis(1));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    Path file = made.resolve("seen");
    own.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Files.delete(file);
    Files.delete(made);
  }

  @Test
  void filesAreBoundedAndARefusalTakesNoRoom() throws Exception {
    Spill few = new Spill(folder, 1_000, 0, Duration.ofMillis(1), 2, Disk.SYSTEM);
    SpillRoom first = SpillRoom.tryTake(few, 600);
    assertThat(SpillRoom.tryTake(few, Long.MAX_VALUE)).isNull();
    assertThat(SpillRoom.tryTake(few, 401)).isNull();
    SpillRoom second = SpillRoom.tryTake(few, 1);
    assertThat(SpillRoom.tryTake(few, 1)).isNull();
    assertThat(second.tryGrowTo(400)).isTrue();
    assertThat(second.tryGrowTo(401)).isFalse();
    assertThat(few.usedBytes()).isEqualTo(1_000);
    first.close();
    first.close();
    assertThat(few.usedBytes()).isEqualTo(400);
    assertThat(SpillRoom.tryTake(few, 600)).isNotNull();
  }

  @Test
  void theEventLoopOpensWritesAndMapsNothing() throws Exception {
    SpilledBody body =
        SpilledBody.of(spill, memory.allocator(), SpilledBody.UNKNOWN, MAXIMUM_BYTES);
    assertThat(spill.bodies()).isZero();
    CompletableFuture<Throwable> written = new CompletableFuture<>();
    body.bytesToAdmit(5);
    EventLoop loop = server.loops.next();
    loop.submit(() ->
            body.write(
                Unpooled.copiedBuffer("whole", US_ASCII),
                /* last= */ true,
                loop,
                written::complete))
        .sync();
    assertThat(written.get()).isNull();
    ByteBuf whole = body.finish();
    assertThat(whole.toString(US_ASCII)).isEqualTo("whole");
    body.release();
    assertThat(spill.usedBytes()).isEqualTo(5);
    whole.release();
  }

  @Test
  void aFailureToMapGivesTheRoomBack() throws Exception {
    SpilledBody body = SpilledBody.of(spill, null, 5, MAXIMUM_BYTES);
    CompletableFuture<Throwable> written = new CompletableFuture<>();
    body.write(
        Unpooled.copiedBuffer("whole", US_ASCII),
        /* last= */ true,
        server.loops.next(),
        written::complete);
    assertThat(written.get()).isInstanceOf(NullPointerException.class);
    assertThat(spill.usedBytes()).isEqualTo(5);
    body.release();
  }

  /** Who declares much and sends little would keep the room of others. */
  @Test
  void roomInFilesIsHeldAsMemoryIsButCheaper() throws Exception {
    SpilledBody declared = SpilledBody.of(spill, memory.allocator(), 16 << 20, MAXIMUM_BYTES);
    assertThat(declared.heldBytes()).isEqualTo(2 << 20);
    SpilledBody chunked =
        SpilledBody.of(spill, memory.allocator(), SpilledBody.UNKNOWN, MAXIMUM_BYTES);
    assertThat(chunked.heldBytes()).isZero();
    assertThat(chunked.bytesToAdmit(8 << 20)).isZero();
    assertThat(chunked.heldBytes()).isEqualTo(1 << 20);
    declared.release();
    chunked.release();
  }

  @Test
  void aReleaseDuringAWriteLeavesTheRestToTheWriter() throws Exception {
    for (int i = 0; i < 200; i++) {
      SpilledBody body = SpilledBody.of(spill, memory.allocator(), 100_000, MAXIMUM_BYTES);
      CompletableFuture<Throwable> written = new CompletableFuture<>();
      body.write(
          Unpooled.wrappedBuffer(new byte[100_000]),
          /* last= */ true,
          server.loops.next(),
          written::complete);
      if (i % 2 == 0) {
        Thread.yield();
      }
      body.release();
      body.release();
      assertThat(written.get()).isNull();
    }
  }

  @Test
  void aClientThatGoesInMidBodyLeavesNoFile() throws Exception {
    try (Socket client = connect()) {
      OutputStream output = client.getOutputStream();
      output.write(head("Content-Length: " + (2 << 20)).getBytes(US_ASCII));
      output.write(body(1 << 20));
      while (spill.bodies() == 0) {
        Thread.onSpinWait();
      }
      client.setSoLinger(true, 0);
    }
    while (spill.usedBytes() > 0 && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    assertThat(spill.usedBytes()).isZero();
  }

  @Test
  void whatFitsNeitherMemoryNorFilesIsRefused() throws Exception {
    SpillRoom others = SpillRoom.tryTake(spill, 1);
    try (Socket client = connect()) {
      client.getOutputStream().write(head("Content-Length: " + FILE_BYTES).getBytes(US_ASCII));
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 503").contains("retry-after: 1");
    }
    others.close();
    try (Socket client = connect()) {
      client
          .getOutputStream()
          .write(head("Content-Length: " + (MAXIMUM_BYTES + 1)).getBytes(US_ASCII));
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 413");
    }
    assertThat(spill.bodies()).isZero();
  }

  /** Nothing to come again for: not even empty files would take it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatFilesCanNeverTakeIsRefusedForGood(boolean chunked) throws Exception {
    try (Socket client = connect()) {
      if (chunked) {
        send(client, new byte[(int) FILE_BYTES + 1], chunked);
      } else {
        client
            .getOutputStream()
            .write(head("Content-Length: " + (FILE_BYTES + 1)).getBytes(US_ASCII));
      }
      assertThat(readUntilEnd(client))
          .startsWith("HTTP/1.1 413")
          .contains("maximum of " + FILE_BYTES + " bytes")
          .doesNotContain("retry-after");
    }
  }

  @Test
  void whatMemoryCanNeverTakeEitherIsRefusedForGood() throws Exception {
    Spill small = new Spill(folder, 1_000, 2_000, Duration.ofMillis(1));
    var never =
        new AdmissionRefusedException(AdmissionRefusedException.Reason.ABOVE_LIMIT, "too large");
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new BudgetedHttpAggregator(
                (bytes, deadline) -> CompletableFuture.failedFuture(never),
                AggregatorOptions.upTo(10_000),
                small));
    channel.writeInbound(Unpooled.copiedBuffer(head("Content-Length: 1500"), US_ASCII));
    ByteBuf answer = channel.readOutbound();
    assertThat(answer.toString(US_ASCII)).startsWith("HTTP/1.1 413");
    answer.release();
    channel.finishAndReleaseAll();
  }

  @Test
  void theCapacityOfAMappedBodyIsFixed() throws Exception {
    keeps = true;
    byte[] body = body(1 << 20);
    try (Socket client = connect()) {
      send(client, body, /* chunked= */ false);
      FullHttpRequest request = kept.take();
      ByteBuf content = request.content();
      try {
        assertThat(content.capacity(body.length)).isSameAs(content);
        assertThatThrownBy(() -> content.capacity(1_000))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("1048576");
        assertThat(crc(request)).isEqualTo(crc(body));
      } finally {
        request.release();
      }
    }
  }

  @Test
  void aFolderThatIsGoneRefuses() throws Exception {
    Files.delete(folder);
    try (Socket client = connect()) {
      client.getOutputStream().write(head("Content-Length: 1000000").getBytes(US_ASCII));
      assertThat(readUntilEnd(client)).startsWith("HTTP/1.1 503");
    }
    Files.createDirectory(folder);
  }

  /** As the memory's own, unless there is to be no room. */
  private CompletionStage<Permit> admit(long bytes, Duration deadline) {
    return full
        ? CompletableFuture.failedFuture(
            new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full"))
        : memory.admission().admit(bytes, deadline);
  }

  private Socket connect() throws IOException {
    InetSocketAddress address = server.address();
    Socket client = new Socket(address.getAddress(), address.getPort());
    client.setSoTimeout(60_000);
    return client;
  }

  private static void send(Socket client, byte[] body, boolean chunked) throws IOException {
    OutputStream output = client.getOutputStream();
    if (!chunked) {
      output.write(head("Content-Length: " + body.length).getBytes(US_ASCII));
      output.write(body);
      return;
    }
    output.write(head("Transfer-Encoding: chunked").getBytes(US_ASCII));
    for (int at = 0; at < body.length; at += 10_000) {
      int bytes = Math.min(10_000, body.length - at);
      output.write((Integer.toHexString(bytes) + "\r\n").getBytes(US_ASCII));
      output.write(body, at, bytes);
      output.write("\r\n".getBytes(US_ASCII));
    }
    output.write("0\r\n\r\n".getBytes(US_ASCII));
  }

  private static String head(String length) {
    return "POST / HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n" + length + "\r\n\r\n";
  }

  private static String readUntilEnd(Socket client) throws IOException {
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }

  private static byte[] body(int bytes) {
    byte[] body = new byte[bytes];
    new Random(bytes).nextBytes(body);
    return body;
  }

  private static String crc(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    return Long.toHexString(crc.getValue());
  }

  private static String crc(FullHttpRequest request) {
    CRC32 crc = new CRC32();
    crc.update(request.content().nioBuffer());
    return Long.toHexString(crc.getValue());
  }

  private final class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (keeps) {
        kept.add(request.retain());
        return;
      }
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.OK,
              Unpooled.copiedBuffer(crc(request), US_ASCII));
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
      ctx.write(response).addListener(written -> ctx.close());
    }

    /** As Netty's examples do: it comes for what was in a file as well. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }
}
