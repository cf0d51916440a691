package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that misbehave, each on a connection of its own: it is answered or closed, nothing is
 * left of it, and others are served.
 */
@Timeout(120)
class FaultyClientsTest {
  private static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);
  private static final String HEAD =
      new String(FaultyServer.request("Content-Length: " + BODY.length(), ""), US_ASCII);

  private static final Wire PLAIN =
      new Wire(TransportUnderTest.NIO, Engine.NONE, /* http2= */ false);

  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static Stream<Arguments> phases() {
    return Wire.all().flatMap(FaultyClientsTest::phasesOf);
  }

  static Stream<Arguments> phasesOfStreams() {
    return Wire.ofStreams()
        .flatMap(FaultyClientsTest::phasesOf)
        .filter(wireAndPhase ->
            wireAndPhase.get()[1] != ClientPhase.CONNECTED
                && wireAndPhase.get()[1] != ClientPhase.IN_THE_HEAD
                && wireAndPhase.get()[1] != ClientPhase.IN_A_CHUNK);
  }

  private static Stream<Arguments> phasesOf(Wire wire) {
    return Arrays.stream(ClientPhase.values()).map(phase -> Arguments.of(wire, phase));
  }

  /** Whole exchanges work: whatever was done to another connection has harmed nobody. */
  private static void assertServes(Wire wire, FaultyServer server) throws Exception {
    byte[] request =
        wire.http2()
            ? Http2Bytes.join(
                Http2Bytes.opening(), Http2Bytes.head(5), Http2Bytes.data("hello", /* end= */ true))
            : FaultyServer.request("Content-Length: 5", "hello");
    try (Wire.Client client = wire.connect(server, certificate)) {
      client.send(request);
      StringBuilder answer = new StringBuilder();
      while (answer.indexOf("hello") < 0) {
        int next = client.socket().getInputStream().read();
        assertThat(next).as("ended after: %s", answer).isNotNegative();
        answer.append((char) next);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("phases")
  void aResetLeavesNothing(Wire wire, ClientPhase phase) throws Exception {
    try (FaultyServer server = wire.server(certificate)) {
      Wire.Client client = wire.connect(server, certificate);
      phase.reach(wire, server, client);
      client.reset();
      assertServes(wire, server);
      server.assertNothingIsHeld();
    }
  }

  /** The server hears of the reset together with the bytes, or before it has read them. */
  @ParameterizedTest
  @MethodSource("phases")
  void aResetThatComesWithTheLastBytesLeavesNothing(Wire wire, ClientPhase phase) throws Exception {
    try (FaultyServer server = wire.server(certificate)) {
      for (int i = 0; i < (wire.engine() == Engine.NONE ? 20 : 5); i++) {
        Wire.Client client = wire.connect(server, certificate);
        client.send(phase.sent(wire));
        client.reset();
      }
      assertServes(wire, server);
      server.assertNothingIsHeld();
    }
  }

  /** Over HTTP/2; the connection stays. */
  @ParameterizedTest
  @MethodSource("phasesOfStreams")
  void theResetOfAStreamLeavesNothing(Wire wire, ClientPhase phase) throws Exception {
    try (FaultyServer server = wire.server(certificate);
        Wire.Client client = wire.connect(server, certificate)) {
      phase.reach(wire, server, client);
      client.send(Http2Bytes.reset());
      FaultyServer.await(
          "nothing held",
          () -> server.pool.liveBlockBytes() == 0 && server.writeGate.queuedBytes() == 0);
      assertThat(server.connections.size()).isEqualTo(1);
    }
  }

  /** Over TLS without a word of its own, which would be the end of that alone. */
  @ParameterizedTest
  @MethodSource("phases")
  void aHalfClosedSocketIsAnsweredOrClosed(Wire wire, ClientPhase phase) throws Exception {
    try (FaultyServer server = wire.server(certificate)) {
      try (Wire.Client client = wire.connect(server, certificate)) {
        phase.reach(wire, server, client);
        client.plain().shutdownOutput();
        String answer = new String(client.socket().getInputStream().readAllBytes(), US_ASCII);
        if (!wire.http2()) {
          assertAnswersTheHalfClosed(phase, answer);
        }
      }
      assertServes(wire, server);
      server.assertNothingIsHeld();
    }
  }

  private static void assertAnswersTheHalfClosed(ClientPhase phase, String answer) {
    switch (phase) {
      case CONNECTED -> assertThat(answer).isEmpty();
      case IN_THE_HEAD -> assertThat(answer).matches("|HTTP/1.1 400 (?s:.*)");
      case BEFORE_THE_BODY, IN_THE_BODY, IN_A_CHUNK ->
          assertThat(answer).startsWith("HTTP/1.1 400");
      case BEFORE_THE_RESPONSE -> assertThat(answer).startsWith("HTTP/1.1 200").endsWith(BODY);
      case IN_THE_RESPONSE -> assertThat(answer).endsWith("xxx");
    }
  }

  @Test
  void oneByteAtATimeIsAStall() throws Exception {
    AggregatorOptions options =
        AggregatorOptions.upTo(1 << 20).withStallTimeout(Duration.ofMillis(300));
    try (FaultyServer server = new FaultyServer(options, null)) {
      assertTakesTooLong(server, HEAD, BODY);
      assertServes(PLAIN, server);
      server.assertNothingIsHeld();
    }
  }

  @Test
  void aHeadThatComesByteByByteIsAnsweredAndEnds() throws Exception {
    AggregatorOptions options =
        AggregatorOptions.upTo(1 << 20).withIdleTimeout(Duration.ofMillis(300));
    try (FaultyServer server = new FaultyServer(options, null)) {
      assertTakesTooLong(server, /* atOnce= */ "", "GET / HTTP/1.1\r\nX: " + "x".repeat(7_000));
      server.assertNothingIsHeld();
    }
  }

  /** Of what a client sends, the rest comes byte by byte. */
  private static void assertTakesTooLong(FaultyServer server, String atOnce, String rest)
      throws IOException {
    try (Socket client = server.connect()) {
      client.getOutputStream().write(atOnce.getBytes(US_ASCII));
      Thread slow = trickle(client, rest);
      assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
          .isEqualTo("HTTP/1.1 408");
      slow.interrupt();
    }
  }

  /** One byte after the other, until the connection ends. */
  private static Thread trickle(Socket client, String text) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            for (int i = 0; i < text.length(); i++) {
              client.getOutputStream().write(text.charAt(i));
              Thread.sleep(10);
            }
          } catch (IOException | InterruptedException closed) {
            // As it should be.
          }
        });
  }

  @Test
  void aConnectionOverWhichNothingComesEnds() throws Exception {
    AggregatorOptions options =
        AggregatorOptions.upTo(1 << 20).withIdleTimeout(Duration.ofMillis(300));
    try (FaultyServer server = new FaultyServer(options, null);
        Socket client = server.connect()) {
      assertThat(client.getInputStream().readAllBytes()).isEmpty();
      server.assertNothingIsHeld();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void aClientThatNeverReadsIsClosed(TransportUnderTest transport) throws Exception {
    try (FaultyServer server =
        new FaultyServer(
            FaultyServer.Parts.of(AggregatorOptions.upTo(4 << 20), null)
                .over(transport)
                .withSlowTime(Duration.ofMillis(300)))) {
      int bytes = 2 << 20;
      try (Socket client = server.connect()) {
        client.getOutputStream().write(FaultyServer.request("Content-Length: " + bytes, ""));
        client.getOutputStream().write(new byte[bytes]);
        FaultyServer.await("a closing", () -> server.writeGate.slowClosings() > 0);
        // The client is there all the time.
        server.assertNothingIsHeld();
        assertThat(server.writeGate.slowClosings()).isEqualTo(1);
        assertThat(server.takeTold())
            .extracting(Throwable::getMessage)
            .contains("the peer has left more than 65536 bytes queued for PT0.3S");
        assertThat(bytesToEnd(client)).isBetween(1, bytes - 1);
      }
      assertServes(PLAIN, server);
      server.assertNothingIsHeld();
    }
  }

  /** What a connection that the server has closed still brings. */
  private static int bytesToEnd(Socket client) throws IOException {
    int bytes = 0;
    try {
      while (client.getInputStream().read() >= 0) {
        bytes++;
      }
    } catch (SocketException reset) {
      // The end, too.
    }
    return bytes;
  }

  @Test
  void garbageInsteadOfTlsIsClosed() throws Exception {
    try (FaultyServer server =
        new FaultyServer(AggregatorOptions.upTo(1 << 20), certificate.server(SslProvider.JDK))) {
      Random random = new Random(7);
      for (int i = 0; i < 50; i++) {
        byte[] garbage = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(garbage);
        if (i % 2 == 0) {
          // The beginning of a record of the handshake, as long as it says.
          garbage[0] = 22;
          if (garbage.length > 5) {
            garbage[1] = 3;
            garbage[2] = 3;
            garbage[3] = (byte) ((garbage.length - 5) >> 8);
            garbage[4] = (byte) (garbage.length - 5);
          }
        }
        try (Socket client = server.connect()) {
          client.getOutputStream().write(garbage);
          client.shutdownOutput();
          client.getInputStream().readAllBytes();
        } catch (IOException reset) {
          // The end of the connection, too.
        }
      }
      server.assertNothingIsHeld();
    }
  }
}
