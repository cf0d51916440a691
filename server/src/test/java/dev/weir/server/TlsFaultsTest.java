package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients may do to TLS: each ends with a reason, harms nobody, and leaves nothing. */
class TlsFaultsTest {
  private static final String GET = "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int BIG_BYTES = 4_000_000;
  private static final Duration PATIENT = Duration.ofMinutes(10);

  private static TestCertificate certificate;

  @TempDir Path directory;
  private NodeFixture fixture;
  private RawClient bystander;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static Stream<TlsEngine> engines() {
    return Arrays.stream(TlsEngine.values()).filter(TlsEngine::isAvailable);
  }

  private void start(TlsEngine engine, Duration handshakeTimeout, int connections)
      throws Exception {
    TlsCredentials credentials = TlsCredentials.read(certificate.certificate(), certificate.key());
    HttpLimits limits =
        new HttpLimits(connections, 1 << 30, 8 << 20, PATIENT, PATIENT, PATIENT, PATIENT, PATIENT);
    fixture =
        new NodeFixture(
            directory,
            NodeFixture.BUDGET_BYTES,
            new NodeParts(new LocalDisk(), Transport.best(), limits)
                .encrypted(new Node.TlsSettings(credentials, engine, handshakeTimeout)),
            certificate);
    bystander = fixture.raw();
    bystander.send(
        "PUT /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            + "Content-Length: %d\r\n\r\n".formatted(BIG_BYTES)
            + "z".repeat(BIG_BYTES));
    assertThat(bystander.receive().status()).isEqualTo(201);
  }

  private void start(TlsEngine engine) throws Exception {
    start(engine, PATIENT, 16);
  }

  @AfterEach
  void nobodyElseNoticed() throws Exception {
    fixture.http.close();
    NodeFixture.await("no other connection", () -> bystander.openConnections() == 1);
    fixture.assertNothingLeaked();
    bystander.close();
    fixture.close();
  }

  private double failures(String reason) throws IOException {
    return bystander.metric("weir_http_failed_connections_total{reason=\"" + reason + "\"}");
  }

  private RawClient unsecured() throws IOException {
    return new RawClient(fixture.node.address());
  }

  @ParameterizedTest
  @MethodSource("engines")
  void garbageInsteadOfAHandshakeEndsTheConnection(TlsEngine engine) throws Exception {
    start(engine);
    byte[] noise = new byte[100_000];
    new Random(5).nextBytes(noise);
    byte[][] openings = {
      GET.getBytes(java.nio.charset.StandardCharsets.US_ASCII),
      noise,
      // A record of a handshake with nothing sensible in it.
      HexFormat.of().parseHex("160301000f" + "6300000b" + "00".repeat(11)),
      // A record that is longer than any may be.
      HexFormat.of().parseHex("160301ffff" + "00".repeat(65_535))
    };
    for (byte[] opening : openings) {
      double before = failures("tls");
      try (RawClient client = unsecured()) {
        try {
          client.send(opening);
        } catch (java.net.SocketException reset) {
          assertThat(opening).hasSizeGreaterThan(50_000);
        }
        assertThat(client.rest()).doesNotContain("HTTP");
      }
      NodeFixture.await("a reason", () -> failures("tls") == before + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void garbageAfterTheHandshakeEndsTheConnection(TlsEngine engine) throws Exception {
    start(engine);
    try (RawClient client = unsecured();
        RawClient.Secured secured = client.securedBeside(certificate.trusting())) {
      secured.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      secured.readUntil("\r\n\r\n");
      client.send("this is no record at all, and so long that a header of one is there");
      assertThat(client.endsSoon()).isTrue();
    }
    NodeFixture.await("a reason", () -> failures("tls") == 1);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aHandshakeThatStopsIsCutOff(TlsEngine engine) throws Exception {
    // The bystander's own handshake has to be done in time on a machine that is busy elsewhere.
    start(engine, Duration.ofSeconds(2), 16);
    byte[] hello = new byte[200];
    System.arraycopy(HexFormat.of().parseHex("16030101f40100"), 0, hello, 0, 7);
    try (RawClient silent = unsecured();
        RawClient slow = unsecured().send(hello)) {
      assertThat(silent.isEnded()).isTrue();
      slow.rest();
    }
    assertThat(failures("tls")).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("engines")
  @EnabledOnOs(value = OS.LINUX, disabledReason = "reads /proc")
  void aClientThatEndsOrVanishesInTheHandshakeIsForgotten(TlsEngine engine) throws Exception {
    start(engine);
    byte[] part = HexFormat.of().parseHex("16030101f4010001");
    try (RawClient client = unsecured().send(part).endOutput()) {
      client.rest();
    }
    unsecured().endOutput().rest();
    for (byte[] sent : new byte[][] {{}, part, clientHello()}) {
      unsecured().send(sent).reset();
      RawClient heard = unsecured().send(sent);
      fixture.awaitRead(heard);
      if (sent.length > part.length) {
        assertThat(heard.read(100)).as("of the answer").isEqualTo(100);
      }
      heard.reset();
    }
    NodeFixture.await("no other connection", () -> bystander.openConnections() == 1);
  }

  private static byte[] clientHello() throws Exception {
    SSLEngine client = certificate.trusting().createSSLEngine();
    client.setUseClientMode(true);
    ByteBuffer record = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
    client.wrap(ByteBuffer.allocate(0), record);
    return Arrays.copyOf(record.array(), record.position());
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aSecondHandshakeIsRefused(TlsEngine engine) throws Exception {
    start(engine);
    try (RawClient client = unsecured().secure(certificate.trusting(), "TLSv1.2")) {
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(200);
      assertThatThrownBy(
              () -> {
                client.renegotiate();
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").receive();
              })
          .isInstanceOf(IOException.class);
    }
    NodeFixture.await("a reason", () -> failures("tls") == 1);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aClientThatEndsItsSideIsLetGo(TlsEngine engine) throws Exception {
    start(engine);
    try (RawClient idle = fixture.raw().endOutput()) {
      assertThat(idle.rest()).isEmpty();
    }
    try (RawClient half = fixture.raw()) {
      half.send("POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Le").endOutput();
      half.rest();
    }
    try (RawClient client = fixture.raw()) {
      client.send(GET).endOutput();
      String answer = client.rest();
      if (engine == TlsEngine.JDK) {
        assertThat(answer).hasSizeGreaterThan(BIG_BYTES);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  @EnabledOnOs(value = OS.LINUX, disabledReason = "reads /proc")
  void aClientThatVanishesLeavesNothing(TlsEngine engine) throws Exception {
    start(engine);
    for (String request :
        new String[] {
          "", "GET /", GET, GET.repeat(10), post(5) + "abc", post(1_000_000) + "z".repeat(300_000)
        }) {
      for (int skipped : new int[] {0, 100_000}) {
        fixture.raw().send(request).reset();
        RawClient client = fixture.raw().send(request);
        fixture.awaitRead(client);
        if (request.startsWith(GET)) {
          client.skip(skipped);
        }
        client.reset();
      }
    }
  }

  private static String post(long bytes) {
    return "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        + "Content-Length: %d\r\n\r\n".formatted(bytes);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aRefusalReachesAClientThatSendsOn(TlsEngine engine) throws Exception {
    start(engine);
    try (RawClient client = fixture.raw()) {
      client.send(post(1L << 31));
      // More than the node takes of it, and than sockets hold.
      byte[] piece = new byte[16 << 10];
      try {
        for (int i = 0; i < 2000; i++) {
          client.send(piece);
        }
      } catch (IOException closed) {
        assertThat(closed).isNotNull();
      }
    }
    try (RawClient client = fixture.raw()) {
      RawClient.Response refused = client.send(post(1L << 31)).receive();
      assertThat(refused.status()).isEqualTo(413);
      assertThat(client.isEnded()).isTrue();
    }
    assertThat(fixture.node.peakResidentBytes()).isLessThan(NodeFixture.BUDGET_BYTES / 4);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void oneConnectionTooManyIsToldSo(TlsEngine engine) throws Exception {
    start(engine, PATIENT, 1);
    try (RawClient client = fixture.raw()) {
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(503);
      assertThat(client.isEnded()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aHundredRequestsSentAheadAreAnsweredInOrder(TlsEngine engine) throws Exception {
    start(engine);
    try (RawClient client = fixture.raw()) {
      // Each write is a record: many come with one read of the socket.
      for (int i = 0; i < 100; i++) {
        client.send("HEAD /v1/stream/a?n=%d HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(i));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200");
      }
    }
  }
}
