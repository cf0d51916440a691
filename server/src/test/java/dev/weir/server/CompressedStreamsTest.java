package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Streams of HTTP/2 in each coding, in the clear and with each engine: read whole, or not at all.
 */
class CompressedStreamsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration STALL = Duration.ofMillis(200);

  /** Enough for the largest contexts of a test at once. */
  private static final long BUDGET_BYTES = 256 << 20;

  /** Of a stream; a small one needs less. */
  private static final int WINDOW_BYTES = 16_000;

  private static final String STALLED = "weir_http2_failed_streams_total{reason=\"stalled\"}";
  private static final String SMALL = "0123456789abcde\n".repeat(1_000);

  /** It becomes a quarter shorter, and so does not fit into what sockets hold. */
  private static final String LARGE;

  private static TestCertificate certificate;

  static {
    byte[] noise = new byte[9_000_000];
    new Random(11).nextBytes(noise);
    LARGE = Base64.getMimeEncoder().encodeToString(noise);
  }

  @TempDir Path directory;
  private NodeFixture fixture;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static List<Arguments> ways() {
    List<@Nullable TlsEngine> engines = new ArrayList<>();
    engines.add(null);
    Arrays.stream(TlsEngine.values()).filter(TlsEngine::isAvailable).forEach(engines::add);
    return CompressedReadsTest.codings()
        .flatMap(coding -> engines.stream().map(engine -> Arguments.of(coding, engine)))
        .toList();
  }

  /** Its end takes seconds. */
  static List<Arguments> waysOfOne() {
    return ways().stream().filter(way -> way.get()[0].equals("zstd")).toList();
  }

  private void open(@Nullable TlsEngine engine, Duration idle, Duration stall) throws Exception {
    HttpLimits limits = new HttpLimits(48, 1 << 30, 8 << 20, idle, stall, NEVER, NEVER, NEVER);
    NodeParts parts = new NodeParts(new LocalDisk(), Transport.best(), limits);
    fixture = NodeFixture.start(directory, BUDGET_BYTES, parts, certificate, engine);
  }

  private void start(@Nullable TlsEngine engine, Duration stall) throws Exception {
    open(engine, NEVER, stall);
    assertThat(fixture.send("PUT", "small", "text/plain", SMALL).statusCode()).isEqualTo(201);
    assertThat(fixture.send("PUT", "large", "text/plain", LARGE).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private static int read(Http2Client client, String stream, String coding) throws Exception {
    return client.request(
        /* last= */ true, "GET", "/v1/stream/" + stream, "accept-encoding", coding);
  }

  private static void assertComes(Http2Client client, int stream, String coding, String content)
      throws Exception {
    Http2Client.Response response = client.await(stream);
    assertThat(response.ended).isTrue();
    assertThat(response.header("content-encoding")).isEqualTo(coding);
    assertThat(new String(Coded.decode(coding, response.body.toByteArray()), UTF_8))
        .isEqualTo(content);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void streamsBesideEachOtherComeWhole(String coding, @Nullable TlsEngine engine) throws Exception {
    start(engine, NEVER);
    try (Http2Client client = fixture.http2()) {
      int large = read(client, "large", coding);
      int small = read(client, "small", coding);
      assertComes(client, small, coding, SMALL);
      assertComes(client, large, coding, LARGE);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void oneThatIsGivenNoWindowIsResetAndTheOthersGoOn(String coding, @Nullable TlsEngine engine)
      throws Exception {
    start(engine, STALL);
    try (Http2Client client = fixture.http2(WINDOW_BYTES, /* receiveBufferBytes= */ 0)) {
      client.stopOpeningWindows();
      int large = read(client, "large", coding);
      while (client.response(large).body.size() < WINDOW_BYTES) {
        client.receive();
      }
      assertThat(client.response(large).header("content-encoding")).isEqualTo(coding);
      assertThat(fixture.node.contextBytes()).isPositive();
      assertComes(client, read(client, "small", coding), coding, SMALL);
      assertThat(client.await(large).error).isEqualTo((int) Http2Error.CANCEL.code());
      assertThat(client.response(large).body.size()).isEqualTo(WINDOW_BYTES);
      assertThat(fixture.metric(STALLED)).isOne();
      fixture.assertNothingLeaked();
      assertComes(client, read(client, "small", coding), coding, SMALL);
    }
  }

  /** Its windows are wide open. */
  @ParameterizedTest
  @MethodSource("waysOfOne")
  void aConnectionThatIsNotReadIsClosed(String coding, @Nullable TlsEngine engine)
      throws Exception {
    start(engine, NEVER);
    fixture.http.close();
    fixture.close();
    // What was put in took its time: on a busy machine longer than a connection may be idle now.
    open(engine, /* idle= */ STALL.multipliedBy(4), STALL);
    try (Http2Client client = fixture.http2(/* windowBytes= */ 1 << 30, 4_096)) {
      read(client, "large", coding);
      NodeFixture.await("the stream's end", () -> fixture.metric(STALLED) == 1);
      try (Http2Client other = fixture.http2()) {
        assertComes(other, read(other, "small", coding), coding, SMALL);
      }
      fixture.http.close();
      NodeFixture.await("the connection's end", () -> fixture.openConnections() <= 1);
      fixture.assertNothingLeaked();
    }
  }
}
