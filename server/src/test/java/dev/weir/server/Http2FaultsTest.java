package dev.weir.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.server.http.HttpLimits;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of HTTP/2 that are slow, broken, gone or too many: each harms itself alone. */
@Timeout(120)
class Http2FaultsTest {
  private static final int BIG_BYTES = 8_000_000;
  private static final String TYPE = "text/plain";

  /** What one stream may hold: a connection's share. */
  private static final long STREAM_SHARE_BYTES = 256 << 10;

  @TempDir Path directory;
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    fixture = new NodeFixture(directory);
    fixture.send("PUT", "big", TYPE, "z".repeat(BIG_BYTES));
    fixture.send("PUT", "a", TYPE, "");
  }

  @AfterEach
  void stop() throws Exception {
    fixture.endWithNothingLeft();
  }

  /**
   * Their windows are what they are from then on. All at once: the node writes for two more seconds
   * what these allow.
   */
  @Test
  void clientsThatEndTheirSideLeaveNothing() throws Exception {
    Map<Http2Phase, Http2Client> clients = new EnumMap<>(Http2Phase.class);
    for (Http2Phase phase : Http2Phase.values()) {
      Http2Client client = fixture.http2(/* windowBytes= */ 30_000, 0);
      clients.put(phase, client);
      client.stopOpeningWindows();
      phase.begin(client);
    }
    assertThat(fixture.metric("weir_http2_open_streams")).isEqualTo(clients.size());
    for (Http2Client client : clients.values()) {
      client.endOutput();
    }
    for (Map.Entry<Http2Phase, Http2Client> each : clients.entrySet()) {
      assertThatCode(each.getValue()::awaitEnd).as("%s", each.getKey()).doesNotThrowAnyException();
      each.getValue().close();
    }
    NodeFixture.await("no stream", () -> fixture.metric("weir_http2_open_streams") == 0);
  }

  @ParameterizedTest
  @EnumSource(Http2Phase.class)
  void aStreamThatDoesNotMoveHoldsUpNobody(Http2Phase phase) throws Exception {
    try (Http2Client client = fixture.http2(/* windowBytes= */ 30_000, 0)) {
      client.stopOpeningWindows();
      for (int i = 0; i < 4; i++) {
        phase.begin(client);
      }
      assertThat(client.get("/v1/stream/a").status()).isEqualTo(200);
      assertThat(
              client
                  .exchange("POST", "/v1/stream/a", new byte[50_000], "content-type", TYPE)
                  .status())
          .isEqualTo(204);
      assertThat(fixture.node.liveBufferBytes()).isLessThanOrEqualTo(5 * STREAM_SHARE_BYTES);
    }
  }

  @Test
  void aSlowReaderIsWrittenAsMuchAsItsWindowAndGetsAllInTheEnd() throws Exception {
    try (Http2Client client = fixture.http2(/* windowBytes= */ 50_000, 0)) {
      client.stopOpeningWindows();
      int stream = client.request(/* last= */ true, "GET", "/v1/stream/big");
      Http2Client.Response response = client.response(stream);
      while (response.body.size() < 50_000) {
        client.receive();
      }
      // A round trip later there is no more of it, and the node holds a share.
      assertThat(client.get("/").status()).isEqualTo(200);
      assertThat(response.body.size()).isEqualTo(50_000);
      NodeFixture.await("a share", () -> fixture.node.liveBufferBytes() <= STREAM_SHARE_BYTES);
      for (int got = 50_000; got < BIG_BYTES; got = response.body.size()) {
        int more = Math.min(70_000, BIG_BYTES - got);
        client.openWindow(stream, more);
        while (response.body.size() < got + more) {
          client.receive();
        }
      }
      assertThat(client.await(stream).body.size()).isEqualTo(BIG_BYTES);
      assertThat(response.text()).isEqualTo("z".repeat(BIG_BYTES));
    }
  }

  @Test
  void aBodyIsSentNoFasterThanItIsStored() throws Exception {
    try (Http2Client client = fixture.http2()) {
      int ignored = Http2Phase.BODY_THAT_NOBODY_READS.begin(client);
      assertThat(client.window(ignored)).isLessThan(6_000);
      int stream = client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", TYPE);
      for (int sent = 0; sent < BIG_BYTES; sent += 16_000) {
        client.awaitWindow(stream, 16_000);
        client.data(stream, new byte[16_000], sent + 16_000 >= BIG_BYTES);
      }
      assertThat(client.await(stream).status()).isEqualTo(204);
      assertThat(client.window(ignored)).isLessThan(6_000);
      // More than was allowed is an error of this stream.
      client.data(ignored, new byte[6_000], /* last= */ false);
      assertThat(client.await(ignored).error).isEqualTo((int) Http2Error.FLOW_CONTROL_ERROR.code());
      assertThat(client.get("/").status()).isEqualTo(200);
    }
  }

  @Test
  void smallFramesAreNotKeptAsObjects() throws Exception {
    try (Http2Client client = fixture.http2()) {
      int stream = client.request(/* last= */ false, "GET", "/v1/stream/a?offset=now&live=sse");
      client.awaitText(stream, "upToDate");
      byte[] frame = Http2Client.frame(Http2FrameTypes.DATA, 0, stream, new byte[1]);
      byte[] frames = new byte[frame.length * 30_000];
      for (int i = 0; i < 30_000; i++) {
        System.arraycopy(frame, 0, frames, i * frame.length, frame.length);
      }
      client.sendRaw(frames);
      assertThat(client.get("/").status()).isEqualTo(200);
      // Once the loop has let go of what it was reading when it answered.
      NodeFixture.await("no more than the bytes", () -> fixture.node.liveBufferBytes() < 68_096);
      assertThat(fixture.node.liveBufferBytes()).isGreaterThanOrEqualTo(30_000);
    }
  }

  /** What a setting adds to every window may be too much for one of them (RFC 9113, 6.9.2). */
  @Test
  void aSettingThatOpensAWindowTooFarEndsTheConnectionWithAReason() throws Exception {
    try (Http2Client client = fixture.http2(/* windowBytes= */ 30_000, 0)) {
      int stream = Http2Phase.HEAD_OF_AN_UPLOAD.begin(client);
      client.openWindow(stream, Integer.MAX_VALUE - 30_000);
      setWindow(client, 0);
      setWindow(client, 30_000);
      client.roundTrip();
      assertThat(client.goAways).as("as far as it goes").isZero();
      setWindow(client, 30_001);
      client.awaitEnd();
      assertThat(client.errorOfGoAway).isEqualTo((int) Http2Error.FLOW_CONTROL_ERROR.code());
      NodeFixture.await(
          "a reason",
          () -> fixture.metric("weir_http_failed_connections_total{reason=\"peer\"}") == 1);
    }
  }

  private static void setWindow(Http2Client client, int bytes) throws IOException {
    byte[] setting = Http2Client.setting(Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE, bytes);
    client.send(Http2FrameTypes.SETTINGS, 0, 0, setting);
  }

  @Test
  void streamsBeyondTheLimitAreRefusedAndTheOthersGoOn() throws Exception {
    try (Http2Client client = fixture.http2()) {
      client.get("/");
      List<Integer> polls = new ArrayList<>();
      for (int i = 0; i < client.settingsMaxStreams; i++) {
        polls.add(Http2Phase.LONG_POLL.begin(client));
      }
      int further = Http2Phase.LONG_POLL.begin(client);
      assertThat(client.await(further).error).isEqualTo((int) Http2Error.REFUSED_STREAM.code());
      fixture.send("POST", "a", TYPE, "news");
      for (int poll : polls) {
        assertThat(client.await(poll).text()).isEqualTo("news");
      }
    }
  }

  @Test
  void theNodeIsStoppedWhenItsStreamsHaveEnded() throws Exception {
    try (Http2Client client = fixture.http2();
        Http2Client idle = fixture.http2()) {
      idle.get("/");
      int events = Http2Phase.EVENTS_AT_THE_TAIL.begin(client);
      int poll = Http2Phase.LONG_POLL.begin(client);
      int upload = Http2Phase.BODY_UNDER_WAY.begin(client);
      client.get("/");
      CompletableFuture<Boolean> stopped =
          CompletableFuture.supplyAsync(() -> stopWithin(RawClient.PATIENCE));
      while (client.goAways == 0) {
        client.receive();
      }
      assertThat(client.lastStreamOfGoAway).isEqualTo(Integer.MAX_VALUE);
      assertThat(client.await(events).error).isNegative();
      assertThat(client.await(poll).status()).isEqualTo(204);
      client.data(upload, "the end".getBytes(UTF_8), /* last= */ true);
      assertThat(client.await(upload).status()).isEqualTo(204);
      client.awaitEnd();
      assertThat(client.errorOfGoAway).isZero();
      assertThat(client.lastStreamOfGoAway).isLessThan(Integer.MAX_VALUE);
      idle.awaitEnd();
      assertThat(stopped.get()).isTrue();
    }
    fixture = new NodeFixture(directory);
    assertThat(fixture.get("a")).hasSize(10_007).endsWith("the end");
  }

  private boolean stopWithin(Duration deadline) {
    try {
      return fixture.node.stop(deadline);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatHasComeWholeIsAnsweredAfterTheClientsEnd() throws Exception {
    try (Http2Client client = fixture.http2()) {
      client.get("/");
      int whole = client.request(/* last= */ true, "GET", "/v1/stream/a");
      int half = Http2Phase.HEAD_OF_AN_UPLOAD.begin(client);
      int waiting = Http2Phase.LONG_POLL.begin(client);
      client.endOutput();
      assertThat(client.await(whole).status()).isEqualTo(200);
      client.awaitEnd();
      assertThat(client.response(half).status()).isZero();
      assertThat(client.response(waiting).status()).isZero();
    }
  }

  @Test
  void thePrefaceMayComeInPiecesAndRequestsThatBeginLikeItAreRequests() throws Exception {
    try (RawClient client = fixture.raw()) {
      for (byte each : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(ISO_8859_1)) {
        client.send(new byte[] {each});
      }
      assertThat(client.read(9)).isEqualTo(9);
    }
    String rest =
        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n";
    Map<String, Integer> answers =
        Map.of("PUT /v1/stream/p" + rest, 201, "PRI /v1/stream/p" + rest, 405, "PRI *" + rest, 400);
    for (Map.Entry<String, Integer> each : answers.entrySet()) {
      try (RawClient client = fixture.raw()) {
        client.send(each.getKey().substring(0, 1));
        client.send(each.getKey().substring(1));
        assertThat(client.receive().status()).as(each.getKey()).isEqualTo(each.getValue());
      }
    }
  }

  /** With a node that waits 100 ms for a byte, and long enough for a request. */
  private void restartHasty() throws IOException {
    Duration never = Duration.ofDays(1);
    Duration idle = Duration.ofSeconds(2);
    Duration stall = Duration.ofMillis(100);
    fixture.close();
    fixture =
        new NodeFixture(
            directory, new HttpLimits(16, 1 << 30, 8 << 20, idle, stall, never, never, never));
  }

  @Test
  void aClientThatDoesNotReadIsNotWaitedFor() throws Exception {
    restartHasty();
    try (Http2Client client = fixture.http2(/* windowBytes= */ 1 << 30, 4_096)) {
      client.openWindow(0, 1 << 28);
      client.request(/* last= */ true, "GET", "/v1/stream/big");
      String stalled = "weir_http2_failed_streams_total{reason=\"stalled\"}";
      NodeFixture.await("the stream's end", () -> fixture.metric(stalled) == 1);
      NodeFixture.await("no other connection", () -> fixture.openConnections() <= 1);
    }
  }
}
