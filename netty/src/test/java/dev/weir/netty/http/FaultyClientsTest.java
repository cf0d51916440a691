package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
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
  private static final int STEP_BYTES = AggregatorOptions.upTo(1).stepBytes();
  private static final String HEAD =
      new String(FaultyServer.request("Content-Length: " + BODY.length(), ""), US_ASCII);

  private static final FaultyServer.Parts PARTS =
      FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), /* tls= */ null);

  /** What the server has taken from a client, and the client from it, before the client's end. */
  enum Phase {
    CONNECTED(""),
    IN_THE_HEAD(HEAD.substring(0, 20)),
    BEFORE_THE_BODY(HEAD),
    IN_THE_BODY(HEAD + BODY.substring(0, 50_000)),
    IN_A_CHUNK(
        new String(FaultyServer.request("Transfer-Encoding: chunked", "ffff\r\nabc"), US_ASCII)),
    BEFORE_THE_RESPONSE(HEAD + BODY),
    IN_THE_RESPONSE(HEAD + BODY);

    private final String sent;

    Phase(String sent) {
      this.sent = sent;
    }

    void reach(FaultyServer server, Socket client) throws IOException {
      client.getOutputStream().write(sent.getBytes(US_ASCII));
      server.awaitTaken(sent.length());
      if (this == IN_THE_RESPONSE) {
        assertThat(client.getInputStream().readNBytes(1_000)).hasSize(1_000);
      }
      switch (this) {
        case CONNECTED -> assertThat(server.pool.liveBlockBytes()).isZero();
        case IN_THE_HEAD -> assertThat(server.pool.liveBlockBytes()).isPositive();
        case BEFORE_THE_BODY, IN_THE_BODY ->
            assertThat(server.pool.liveBlockBytes()).isGreaterThanOrEqualTo(BODY.length());
        case IN_A_CHUNK ->
            assertThat(server.pool.liveBlockBytes()).isGreaterThanOrEqualTo(STEP_BYTES);
        case BEFORE_THE_RESPONSE, IN_THE_RESPONSE ->
            assertThat(server.writeGate.queuedBytes()).isPositive();
      }
    }
  }

  static Stream<Arguments> phases() {
    return TransportUnderTest.available()
        .flatMap(transport ->
            Arrays.stream(Phase.values()).map(phase -> Arguments.of(transport, phase)));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void aResetLeavesNothing(TransportUnderTest transport, Phase phase) throws Exception {
    try (FaultyServer server = new FaultyServer(PARTS.over(transport))) {
      Socket client = server.connect();
      phase.reach(server, client);
      client.setSoLinger(true, 0);
      client.close();
      server.assertServes();
      server.assertNothingIsHeld();
    }
  }

  /** The server hears of the reset together with the bytes, or before it has read them. */
  @ParameterizedTest
  @MethodSource("phases")
  void aResetThatComesWithTheLastBytesLeavesNothing(TransportUnderTest transport, Phase phase)
      throws Exception {
    try (FaultyServer server = new FaultyServer(PARTS.over(transport))) {
      for (int i = 0; i < 20; i++) {
        Socket client = server.connect();
        client.getOutputStream().write(phase.sent.getBytes(US_ASCII));
        client.setSoLinger(true, 0);
        client.close();
      }
      server.assertServes();
      server.assertNothingIsHeld();
    }
  }

  @ParameterizedTest
  @MethodSource("phases")
  void aHalfClosedSocketIsAnsweredOrClosed(TransportUnderTest transport, Phase phase)
      throws Exception {
    try (FaultyServer server = new FaultyServer(PARTS.over(transport))) {
      try (Socket client = server.connect()) {
        phase.reach(server, client);
        client.shutdownOutput();
        String answer = new String(client.getInputStream().readAllBytes(), US_ASCII);
        switch (phase) {
          case CONNECTED -> assertThat(answer).isEmpty();
          case IN_THE_HEAD -> assertThat(answer).matches("|HTTP/1.1 400 (?s:.*)");
          case BEFORE_THE_BODY, IN_THE_BODY, IN_A_CHUNK ->
              assertThat(answer).startsWith("HTTP/1.1 400");
          case BEFORE_THE_RESPONSE -> assertThat(answer).startsWith("HTTP/1.1 200").endsWith(BODY);
          case IN_THE_RESPONSE -> assertThat(answer).endsWith("xxx");
        }
      }
      server.assertServes();
      server.assertNothingIsHeld();
    }
  }

  @Test
  void oneByteAtATimeIsAStall() throws Exception {
    AggregatorOptions options =
        AggregatorOptions.upTo(1 << 20).withStallTimeout(Duration.ofMillis(300));
    try (FaultyServer server = new FaultyServer(options, null)) {
      try (Socket client = server.connect()) {
        client.getOutputStream().write(HEAD.getBytes(US_ASCII));
        Thread slow = trickle(client, "x".repeat(BODY.length()));
        assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
            .isEqualTo("HTTP/1.1 408");
        slow.interrupt();
      }
      server.assertServes();
      server.assertNothingIsHeld();
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
  void aHeadThatComesByteByByteIsAnsweredAndEnds() throws Exception {
    AggregatorOptions options =
        AggregatorOptions.upTo(1 << 20).withIdleTimeout(Duration.ofMillis(300));
    try (FaultyServer server = new FaultyServer(options, null)) {
      try (Socket client = server.connect()) {
        Thread slow = trickle(client, "GET / HTTP/1.1\r\nX: " + "x".repeat(7_000));
        assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
            .isEqualTo("HTTP/1.1 408");
        slow.interrupt();
      }
      server.assertNothingIsHeld();
    }
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
      }
      server.assertServes();
      server.assertNothingIsHeld();
    }
  }

  @Test
  void garbageInsteadOfTlsIsClosed(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
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
