package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that send byte by byte, or nothing, or take nothing: each has an end, told of. */
@Timeout(120)
class SlowClientsTest {
  private static final Duration LIMIT = Duration.ofMillis(300);
  private static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);
  private static final AggregatorOptions OPTIONS = AggregatorOptions.upTo(4 << 20);

  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  /** A connection for each exchange. */
  static Stream<Wire> connections() {
    return Wire.all().filter(wire -> !wire.http2());
  }

  /** One sends on, byte by byte; over TLS each has a record of its own. */
  private static Thread trickle(Wire.Client client, byte[] bytes, int pieceBytes) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            for (int at = 0; at < bytes.length; at += pieceBytes) {
              client.send(Arrays.copyOfRange(bytes, at, at + pieceBytes));
              Thread.sleep(10);
            }
          } catch (IOException | InterruptedException closed) {
            // As it should be.
          }
        });
  }

  /** Of what a client sends, the rest comes byte by byte. */
  private static void assertTakesTooLong(Wire wire, FaultyServer server, byte[] atOnce, String rest)
      throws Exception {
    try (Wire.Client client = wire.connect(server, certificate)) {
      client.send(atOnce);
      Thread slow = trickle(client, rest.getBytes(US_ASCII), 1);
      assertThat(new String(client.socket().getInputStream().readNBytes(12), US_ASCII))
          .isEqualTo("HTTP/1.1 408");
      slow.interrupt();
    }
    wire.assertServes(server, certificate);
    server.assertNothingIsHeld();
  }

  @ParameterizedTest
  @MethodSource("connections")
  void oneByteAtATimeIsAStall(Wire wire) throws Exception {
    try (FaultyServer server =
        new FaultyServer(wire.parts(certificate, OPTIONS.withStallTimeout(LIMIT)))) {
      assertTakesTooLong(
          wire, server, FaultyServer.request("Content-Length: " + BODY.length(), ""), BODY);
    }
  }

  @ParameterizedTest
  @MethodSource("connections")
  void aHeadThatComesByteByByteIsAnsweredAndEnds(Wire wire) throws Exception {
    try (FaultyServer server =
        new FaultyServer(wire.parts(certificate, OPTIONS.withIdleTimeout(LIMIT)))) {
      assertTakesTooLong(wire, server, new byte[0], "GET / HTTP/1.1\r\nX: " + "x".repeat(7_000));
    }
  }

  /** Of a frame that is never whole. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.http.Wire#ofStreams")
  void oneByteOfAFrameAtATimeIsAStall(Wire wire) throws Exception {
    assertStreamTakesTooLong(wire, Http2Bytes.data("x".repeat(10_000), /* end= */ false), 1);
  }

  /** In a frame of its own. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.http.Wire#ofStreams")
  void oneByteOfAStreamAtATimeIsAStall(Wire wire) throws Exception {
    byte[] frame = Http2Bytes.data("x", /* end= */ false);
    byte[][] frames = new byte[10_000][];
    Arrays.fill(frames, frame);
    assertStreamTakesTooLong(wire, Http2Bytes.join(frames), frame.length);
  }

  /** The stream ends, and what it has is given back; the connection goes on. */
  private static void assertStreamTakesTooLong(Wire wire, byte[] rest, int pieceBytes)
      throws Exception {
    try (FaultyServer server =
            new FaultyServer(wire.parts(certificate, OPTIONS.withStallTimeout(LIMIT)));
        Wire.Client client = wire.connect(server, certificate)) {
      client.send(Http2Bytes.join(Http2Bytes.opening(), Http2Bytes.head(BODY.length())));
      FaultyServer.await("room for the body", () -> server.pool.liveBlockBytes() > BODY.length());
      Thread slow = trickle(client, rest, pieceBytes);
      assertThat(statusOf(client)).isEqualTo("408");
      FaultyServer.await("no body", () -> server.pool.liveBlockBytes() < BODY.length());
      assertThat(server.connections.size()).isEqualTo(1);
      slow.interrupt();
      slow.join();
    }
  }

  /** What a client is answered, over a stream. */
  private static String statusOf(Wire.Client client) throws Exception {
    DataInputStream frames = new DataInputStream(client.socket().getInputStream());
    while (true) {
      int lengthAndType = frames.readInt();
      frames.skipNBytes(5);
      byte[] payload = frames.readNBytes(lengthAndType >>> 8);
      if ((lengthAndType & 0xff) == 1) {
        return new DefaultHttp2HeadersDecoder()
            .decodeHeaders(1, Unpooled.wrappedBuffer(payload))
            .status()
            .toString();
      }
    }
  }

  @Test
  void aConnectionOverWhichNothingComesEnds() throws Exception {
    try (FaultyServer server = new FaultyServer(OPTIONS.withIdleTimeout(LIMIT), null);
        Socket client = server.connect()) {
      assertThat(client.getInputStream().readAllBytes()).isEmpty();
      server.assertNothingIsHeld();
    }
  }

  @ParameterizedTest
  @MethodSource("connections")
  void aClientThatNeverReadsIsClosed(Wire wire) throws Exception {
    int bytes = 2 << 20;
    try (FaultyServer server =
        new FaultyServer(wire.parts(certificate, OPTIONS).withSlowTime(LIMIT))) {
      try (Wire.Client client = wire.connect(server, certificate)) {
        client.send(FaultyServer.request("Content-Length: " + bytes, ""));
        client.send(new byte[bytes]);
        FaultyServer.await("a closing", () -> server.writeGate.slowClosings() > 0);
        // The client is there all the time.
        server.assertNothingIsHeld();
        assertThat(server.writeGate.slowClosings()).isEqualTo(1);
        assertThat(server.takeTold())
            .extracting(Throwable::getMessage)
            .contains("the peer has left more than 65536 bytes queued for PT0.3S");
        assertThat(bytesToEnd(client.plain())).isBetween(1, bytes - 1);
      }
      wire.assertServes(server, certificate);
      server.assertNothingIsHeld();
    }
  }

  /** What a connection that the server has closed still brings. */
  private static int bytesToEnd(Socket client) throws IOException {
    byte[] part = new byte[64 << 10];
    int bytes = 0;
    try {
      for (int read = 0; read >= 0; read = client.getInputStream().read(part)) {
        bytes += read;
      }
    } catch (SocketException reset) {
      // The end, too.
    }
    return bytes;
  }
}
