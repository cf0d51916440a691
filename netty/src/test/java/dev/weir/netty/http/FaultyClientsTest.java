package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
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

  @ParameterizedTest
  @MethodSource("phases")
  void aResetLeavesNothing(Wire wire, ClientPhase phase) throws Exception {
    try (FaultyServer server = wire.server(certificate)) {
      Wire.Client client = wire.connect(server, certificate);
      phase.reach(wire, server, client);
      client.reset();
      wire.assertServes(server, certificate);
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
      wire.assertServes(server, certificate);
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
      wire.assertServes(server, certificate);
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
