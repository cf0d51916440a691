package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that read compressed streams slowly, or go away in the middle. */
class CompressedReadsFaultsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final int CHUNK_BYTES = 64 << 10;

  /** What a connection may hold: its share, and a chunk that is being compressed. */
  private static final long SHARE_BYTES = 5 * CHUNK_BYTES;

  /** Enough for the largest contexts of all clients of a test at once. */
  private static final long BUDGET_BYTES = 256 << 20;

  private static final int CLIENTS = 4;

  /** It becomes a quarter shorter, and so does not fit into what sockets hold. */
  private static final String TEXT = text(9_000_000);

  @TempDir Path directory;
  private NodeFixture fixture;

  private static String text(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(11).nextBytes(noise);
    return Base64.getMimeEncoder().encodeToString(noise);
  }

  private void start(Duration stallTimeout) throws Exception {
    HttpLimits limits =
        new HttpLimits(48, 1 << 30, 8 << 20, NEVER, stallTimeout, NEVER, NEVER, NEVER);
    fixture =
        new NodeFixture(
            directory, BUDGET_BYTES, new NodeParts(new LocalDisk(), Transport.best(), limits));
    assertThat(fixture.send("PUT", "a", "text/plain", TEXT).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private RawClient reading(String coding) throws IOException {
    RawClient client = fixture.raw(/* receiveBufferBytes= */ 4096);
    client.send(
        "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: %s\r\n\r\n"
            .formatted(coding));
    return client;
  }

  /** None but that of the question. */
  private void awaitNoOtherConnection() throws IOException {
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void clientsThatVanishLeaveNothing(String coding) throws Exception {
    start(NEVER);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(reading(coding));
    }
    for (RawClient client : clients) {
      assertThat(client.readUntil("\r\n\r\n")).containsIgnoringCase("content-encoding");
      assertThat(client.read(10_000)).isEqualTo(10_000);
    }
    assertThat(fixture.node.contextBytes()).isPositive();
    for (int i = 0; i < CLIENTS; i++) {
      if (i % 2 == 0) {
        clients.get(i).reset();
      } else {
        clients.get(i).close();
      }
    }
    awaitNoOtherConnection();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void streamsThatAreResetLeaveNothing(String coding) throws Exception {
    start(NEVER);
    try (Http2Client client = fixture.http2(/* windowBytes= */ 16_000, 0)) {
      client.stopOpeningWindows();
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int stream =
            client.request(/* last= */ true, "GET", "/v1/stream/a", "accept-encoding", coding);
        streams.add(stream);
        while (client.response(stream).body.size() < 16_000) {
          client.receive();
        }
        assertThat(client.response(stream).header("content-encoding")).isEqualTo(coding);
      }
      assertThat(fixture.node.contextBytes()).isPositive();
      for (int stream : streams) {
        client.reset(stream, /* CANCEL */ 8);
      }
      fixture.assertNothingLeaked();
      int last = client.request(/* last= */ true, "GET", "/v1/stream/a", "accept-encoding", coding);
      while (client.response(last).body.size() < 16_000) {
        client.receive();
      }
      client.resetConnection();
    }
    awaitNoOtherConnection();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void aSlowClientHoldsItsShareAndGetsAll(String coding) throws Exception {
    start(NEVER);
    try (RawClient client = reading(coding)) {
      String head = client.readUntil("\r\n\r\n");
      for (int i = 0; i < 200; i++) {
        // In this order: the context is among what is live, or among what is set aside.
        long live = fixture.node.liveBufferBytes();
        assertThat(live).isLessThanOrEqualTo(SHARE_BYTES + fixture.node.contextBytes());
        Thread.onSpinWait();
        client.read(100);
      }
      assertThat(client.skip(Long.MAX_VALUE)).isGreaterThan(TEXT.length() / 2);
      assertThat(head).containsIgnoringCase("content-encoding: " + coding);
    }
    assertThat(
            new String(
                Answers.get(fixture, true, "/v1/stream/a", "Accept-Encoding", coding).content(),
                UTF_8))
        .isEqualTo(TEXT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void aClientThatReadsNothingIsDropped(String coding) throws Exception {
    start(Duration.ofMillis(200));
    try (RawClient client = reading(coding)) {
      NodeFixture.await(
          "a stalled connection",
          () -> fixture.metric("weir_http_failed_connections_total{reason=\"stalled\"}") == 1);
      assertThat(client.endsSoon()).isTrue();
    }
  }

  /** A client counts frames that say nothing, and ends the connection. */
  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#codings")
  void noFrameSaysNothing(String coding) throws Exception {
    start(NEVER);
    byte[] messages = ("[" + "{\"a\":1},".repeat(50_000) + "0]").getBytes(UTF_8);
    String[] headers = {"Content-Type", "application/json", "Stream-Closed", "true"};
    assertThat(Answers.ask(fixture, false, "PUT", "/v1/stream/json", messages, headers).status())
        .isEqualTo(201);
    try (Http2Client client = fixture.http2()) {
      for (String path : List.of("/v1/stream/json", "/v1/stream/json?offset=-1&live=sse")) {
        int stream =
            client.request(
                /* last= */ true, "GET", path, "accept-encoding", coding + ", identity;q=0");
        while (!client.response(stream).isOver()) {
          Http2Client.Frame frame = client.receive();
          if (frame.type() == 0) {
            assertThat(frame.payload().length > 0 || frame.flags() == Http2Client.END_STREAM)
                .isTrue();
          }
        }
        assertThat(client.response(stream).ended).isTrue();
      }
    }
  }
}
