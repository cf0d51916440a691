package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that send one byte after the other, each in far less time than a limit: what has to be
 * whole has to be so in time, however it comes, and a body has to make progress, which single bytes
 * are not.
 */
@Timeout(120)
class TricklingClientsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration LIMIT = Duration.ofMillis(500);
  private static final long BETWEEN_BYTES_NANOS = LIMIT.toNanos() / 50;

  /** Ten of them are more than a body has to bring in each limit, in a fifth of that. */
  private static final String PIECE = "x".repeat(128);

  /** So many as take two limits. */
  private static final int PIECES = 100;

  private static final String POST =
      "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n";
  private static final String STALLED = "weir_http_failed_connections_total{reason=\"stalled\"}";
  private static final String BROKEN = "weir_http_failed_connections_total{reason=\"tls\"}";

  private static TestCertificate certificate;

  @TempDir Path directory;
  private NodeFixture fixture;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  private void start(Duration idleTimeout, Duration stallTimeout) throws Exception {
    fixture = new NodeFixture(directory, limits(idleTimeout, stallTimeout));
  }

  private static HttpLimits limits(Duration idleTimeout, Duration stallTimeout) {
    return new HttpLimits(16, 1 << 30, 8 << 20, idleTimeout, stallTimeout, NEVER, NEVER, NEVER);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    fixture.endWithNothingLeft();
  }

  /** What a client has got when the node has ended its connection. */
  private interface Answer<T> {
    T await() throws IOException;
  }

  /** Sends a byte. */
  private interface NextByte {
    void send() throws IOException;
  }

  /** Sends on until the node has ended the connection. */
  private static String trickle(RawClient client) throws IOException {
    return trickle(client::rest, () -> client.send("a"));
  }

  private static <T> T trickle(Answer<T> atEnd, NextByte next) throws IOException {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        answer.complete(atEnd.await());
      } catch (IOException failed) {
        answer.completeExceptionally(failed);
      }
    });
    try {
      while (!answer.isDone()) {
        next.send();
        LockSupport.parkNanos(BETWEEN_BYTES_NANOS);
      }
    } catch (IOException ended) {
      // By the node, which has said why.
    }
    try {
      return answer.join();
    } catch (CompletionException failed) {
      throw new IOException("no answer could be read", failed.getCause());
    }
  }

  /** A client that the machine holds up before it sends is just closed or reset: it comes again. */
  private static void awaitOneInTime(String what, NodeFixture.Condition client) throws IOException {
    NodeFixture.await(
        what,
        () -> {
          try {
            return client.holds();
          } catch (IOException cutOff) {
            return false;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET /", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "})
  void aHeadHasToBeWholeInTime(String beginning) throws Exception {
    start(LIMIT, NEVER);
    awaitOneInTime(
        "an answer",
        () -> {
          try (RawClient client = fixture.raw().send(beginning)) {
            String answer = trickle(client);
            assertThat(answer).matches("(?s)(HTTP/1.1 408 .*)?");
            return !answer.isEmpty();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"1;", "1\r\nx\r\n0\r\nX: "})
  void whatComesWithABodyIsNone(String beginning) throws Exception {
    start(NEVER, LIMIT);
    assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
    try (RawClient client = fixture.raw()) {
      client.send(POST + "Transfer-Encoding: chunked\r\n\r\n" + beginning);
      assertThat(trickle(client)).startsWith("HTTP/1.1 408 ");
    }
    assertThat(fixture.get("a")).isEmpty();
  }

  /** In the clear, which is no engine, or with TLS; over HTTP/1.1 and HTTP/2. */
  static Stream<Arguments> enginesAndVersions() {
    return Stream.concat(Stream.of((TlsEngine) null), TlsFaultsTest.engines())
        .flatMap(engine -> Stream.of(Arguments.of(engine, false), Arguments.of(engine, true)));
  }

  private void startForBodies(@Nullable TlsEngine engine) throws Exception {
    NodeParts parts = new NodeParts(new LocalDisk(), Transport.best(), limits(NEVER, LIMIT));
    fixture = NodeFixture.start(directory, parts, certificate, engine);
    assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @MethodSource("enginesAndVersions")
  void aBodyHasToMakeProgress(@Nullable TlsEngine engine, boolean http2) throws Exception {
    startForBodies(engine);
    if (http2) {
      try (Http2Client client = fixture.http2()) {
        int stream = upload(client);
        byte[] frame = Http2Client.frame(Http2FrameTypes.DATA, 0, stream, new byte[1]);
        Http2Client.Response response =
            trickle(() -> client.await(stream), () -> client.sendRaw(frame));
        assertThat(response.status()).isEqualTo(408);
        assertThat(response.text()).contains(LIMIT.toMillis() + " ms").hasLineCount(1);
        assertThat(client.get("/").status()).as("the connection's next").isEqualTo(200);
      }
    } else {
      try (RawClient client = fixture.raw().send(POST + "Content-Length: 100000\r\n\r\n")) {
        String answer = trickle(client);
        assertThat(answer).startsWith("HTTP/1.1 408 ");
        assertThat(answer).contains("onnection: close", LIMIT.toMillis() + " ms");
      }
    }
    assertThat(fixture.get("a")).isEmpty();
  }

  private static int upload(Http2Client client) throws IOException {
    int stream =
        client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", "text/plain");
    client.roundTrip();
    return stream;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBodyThatGoesOnMayTakeAsLongAsItLikes(boolean http2) throws Exception {
    startForBodies(/* engine= */ null);
    awaitOneInTime("the body", () -> http2 ? isTakenAsStream() : isTaken());
    assertThat(fixture.get("a")).isEqualTo(PIECE.repeat(PIECES));
  }

  private boolean isTaken() throws IOException {
    String length = "Content-Length: " + PIECES * PIECE.length() + "\r\n\r\n";
    try (RawClient client = fixture.raw().send(POST + length)) {
      for (int i = 0; i < PIECES; i++) {
        client.send(PIECE);
        LockSupport.parkNanos(BETWEEN_BYTES_NANOS);
      }
      return client.receive().status() == 204;
    }
  }

  private boolean isTakenAsStream() throws IOException {
    try (Http2Client client = fixture.http2()) {
      int stream = upload(client);
      for (int i = 1; i <= PIECES; i++) {
        client.data(stream, PIECE.getBytes(StandardCharsets.US_ASCII), /* last= */ i == PIECES);
        LockSupport.parkNanos(BETWEEN_BYTES_NANOS);
      }
      return client.await(stream).status() == 204;
    }
  }

  @Test
  void aFrameHasToBeWholeInTimeWhereThereIsNoStream() throws Exception {
    start(LIMIT, NEVER);
    byte[] frame = Http2Client.frame(Http2FrameTypes.HEADERS, 4, 1, new byte[16_000]);
    byte[] head = Arrays.copyOf(frame, Http2CodecUtil.FRAME_HEADER_LENGTH);
    awaitOneInTime(
        "the node's goodbye to a frame that is not whole",
        () -> {
          try (Http2Client client = fixture.http2()) {
            // From here on only this thread sends: no answer comes to lie within the frame.
            client.roundTrip();
            client.sendRaw(head);
            int goAways = trickle(() -> goAwaysAtEnd(client), () -> client.sendRaw(new byte[1]));
            return goAways > 0;
          }
        });
  }

  private static int goAwaysAtEnd(Http2Client client) throws IOException {
    client.awaitEnd();
    return client.goAways;
  }

  /** What a client's handshake has agreed on. */
  private enum Protocols {
    TLS_1_2("TLSv1.2"),
    TLS_1_3("TLSv1.3"),
    HTTP_2("TLSv1.3", "h2");

    private final String tls;
    private final String[] application;

    Protocols(String tls, String... application) {
      this.tls = tls;
      this.application = application;
    }

    private SSLParameters parameters() {
      SSLParameters parameters = new SSLParameters();
      parameters.setProtocols(new String[] {tls});
      parameters.setApplicationProtocols(application);
      return parameters;
    }
  }

  private void startSecured(TlsEngine engine, Duration handshakeTimeout, Duration idleTimeout)
      throws Exception {
    TlsCredentials credentials = TlsCredentials.read(certificate.certificate(), certificate.key());
    fixture =
        new NodeFixture(
            directory,
            NodeFixture.BUDGET_BYTES,
            new NodeParts(new LocalDisk(), Transport.best(), limits(idleTimeout, NEVER))
                .encrypted(new Node.TlsSettings(credentials, engine, handshakeTimeout)),
            certificate);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.TlsFaultsTest#engines")
  void aHandshakeHasToBeWholeInTime(TlsEngine engine) throws Exception {
    // The fixture's own handshakes have to be done in time on a machine that is busy elsewhere.
    startSecured(engine, LIMIT.multipliedBy(4), NEVER);
    try (RawClient client = new RawClient(fixture.node.address())) {
      // The beginning of a record of 16,000 bytes.
      trickle(client.send(HexFormat.of().parseHex("1603013e80010001")));
    }
    NodeFixture.await("a reason", () -> fixture.metric(BROKEN) > 0);
  }

  /** After a handshake, and before anything else. */
  private RawClient shaken(Protocols protocols) throws IOException {
    RawClient client = new RawClient(fixture.node.address());
    client.securedBeside(certificate.trusting(), protocols.parameters());
    return client;
  }

  static Stream<Arguments> enginesAndProtocols() {
    return TlsFaultsTest.engines()
        .flatMap(
            engine -> Arrays.stream(Protocols.values()).map(each -> Arguments.of(engine, each)));
  }

  @ParameterizedTest
  @MethodSource("enginesAndProtocols")
  void aRecordHasToBeWholeInTime(TlsEngine engine, Protocols protocols) throws Exception {
    startSecured(engine, NEVER, LIMIT);
    awaitOneInTime(
        "a reason",
        () -> {
          try (RawClient client = shaken(protocols)) {
            trickle(client.send(HexFormat.of().parseHex("1703033e80")));
          }
          return fixture.metric(STALLED) > 0;
        });
    NodeFixture.await("no failure of TLS", () -> fixture.metric(BROKEN) == 0);
  }

  @ParameterizedTest
  @MethodSource("enginesAndProtocols")
  void aConnectionThatIsIdleBetweenRecordsHasNotFailed(TlsEngine engine, Protocols protocols)
      throws Exception {
    startSecured(engine, NEVER, LIMIT);
    awaitOneInTime(
        "an end",
        () -> {
          try (RawClient client = shaken(protocols)) {
            client.rest();
            return true;
          }
        });
    NodeFixture.await("no failure", () -> fixture.metric(STALLED) == 0);
  }
}
