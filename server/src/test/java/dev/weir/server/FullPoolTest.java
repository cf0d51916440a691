package dev.weir.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import dev.weir.streams.FaultyDisk;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool with nothing left but its reserve: reads wait, uploads go to files, figures are shown. */
class FullPoolTest {
  private static final long BUDGET_BYTES = 16 << 20;
  private static final Duration SOON = Duration.ofMillis(40);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final String WAITS = "weir_http_memory_waits_total";
  private static final String TEXT = "0123456789abcde\n".repeat(20_000);
  private static final int HTTP2_WINDOW_BYTES = 64 << 10;
  private static final int SMALL_BYTES = 2 << 10;

  /** What lies in a segment goes out by sendfile to clients that name no coding. */
  private static final String IN_PIECES =
      "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n";

  /** Four of them would have the whole reserve if they got a window each. */
  private static final int BUSY_CLIENTS = 24;

  private static final int UPLOAD_PART_BYTES = 30_000;
  private static final String SHORT = "s".repeat(40_000);

  @TempDir Path directory;
  private final List<ByteBuf> held = new ArrayList<>();
  private final FaultyDisk disk = new FaultyDisk();
  private NodeFixture fixture;
  private final KnownBuffers buffers = new KnownBuffers();

  /** A node of its own makes the stream, so that the other one's threads keep no memory of it. */
  @BeforeEach
  void createStream() throws Exception {
    try (NodeFixture before = new NodeFixture(directory)) {
      assertThat(before.send("PUT", "a", "text/plain", TEXT).statusCode()).isEqualTo(201);
      assertThat(before.send("PUT", "short", "text/plain", SHORT).statusCode()).isEqualTo(201);
    }
  }

  private void startFull(Duration memoryTimeout) throws Exception {
    HttpLimits limits =
        new HttpLimits(48, 1 << 30, BUDGET_BYTES / 4, NEVER, NEVER, memoryTimeout, NEVER, NEVER);
    NodeParts parts =
        buffers
            .parts(disk, limits)
            .with(new Node.ConsoleSettings(ConsoleAccess.LOOPBACK, Duration.ofMillis(5)));
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
    fill();
  }

  private void fill() {
    for (int bytes : new int[] {1 << 20, 64 << 10, 8 << 10}) {
      boolean room = true;
      while (room) {
        try {
          held.add(buffers.allocator().directBuffer(bytes));
        } catch (OutOfMemoryError refused) {
          room = false;
        }
      }
    }
  }

  private void empty() {
    held.forEach(ByteBuf::release);
    held.clear();
  }

  @AfterEach
  void stop() throws Exception {
    empty();
    fixture.http.close();
    fixture.assertNothingLeaked();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    fixture.close();
  }

  private void awaitWaits(int count) throws IOException {
    NodeFixture.await(count + " waits", () -> fixture.metric(WAITS) >= count);
  }

  @Test
  void aReadWaitsForRoom() throws Exception {
    startFull(NEVER);
    try (RawClient whole = fixture.raw();
        RawClient events = fixture.raw()) {
      whole.send(IN_PIECES);
      events.send("GET /v1/stream/a?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      awaitWaits(2);
      empty();
      assertThat(whole.receive().body()).isEqualTo(TEXT);
      events.readUntil("upToDate");
    }
  }

  @Test
  void aReadInACodingWaitsForRoomAsOthersDo() throws Exception {
    startFull(NEVER);
    try (RawClient client = fixture.raw()) {
      client.send(
          "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              + "Accept-Encoding: zstd\r\n\r\n");
      awaitWaits(1);
      empty();
      assertThat(Coded.plain(client.restBytes())).startsWith("HTTP/1.1 200").endsWith(TEXT);
    }
  }

  @Test
  void whatAReadWaitedForIsChargedToItsResponses() throws Exception {
    startFull(NEVER);
    try (RawClient client = fixture.raw()) {
      client.send("GET /v1/stream/short HTTP/1.1\r\nHost: localhost\r\n\r\n");
      awaitWaits(1);
      Budget own = responsesOf(client);
      assertThat(own.chargedBytes()).isZero();
      empty();
      assertThat(client.receive().body()).isEqualTo(SHORT);
      // The answer had one piece: the one that had to wait.
      assertThat(own.peakChargedBytes()).isGreaterThanOrEqualTo(SHORT.length());
    }
  }

  private Budget responsesOf(RawClient client) {
    return clients("responses")
        .filter(child -> child.name().equals("127.0.0.1:" + client.localPort()))
        .findFirst()
        .orElseThrow();
  }

  /** What each client has of a usage. */
  private Stream<Budget> clients(String usage) {
    return buffers.pool().rootBudget().children().stream()
        .filter(child -> child.name().equals(usage))
        .flatMap(all -> all.children().stream());
  }

  /**
   * Clients of which some bytes are on their way to the disk, and some more wait: as few as had
   * come when the node read them, where the client was held up within its first frame.
   */
  private long uploadingClients() {
    return clients("connections").filter(own -> own.chargedBytes() > SMALL_BYTES).count();
  }

  @Test
  void aReadThatFindsNoRoomInTimeIsTold() throws Exception {
    startFull(SOON);
    try (RawClient client = fixture.raw()) {
      client.send(IN_PIECES);
      RawClient.Response response = client.receive();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(response.body()).contains("memory").hasLineCount(1);
      assertThat(client.isEnded()).isTrue();
    }
    empty();
    assertThat(fixture.get("a")).isEqualTo(TEXT);
  }

  @Test
  void aClientThatLeavesWhileItWaitsLeavesNothing() throws Exception {
    startFull(NEVER);
    try (RawClient client = fixture.raw()) {
      client.send(IN_PIECES);
      awaitWaits(1);
      client.reset();
    }
  }

  @Test
  void uploadsGoOnThroughFiles() throws Exception {
    startFull(NEVER);
    try (RawClient client = fixture.raw()) {
      client.send(post("Content-Length: 100000")).send("x".repeat(100_000));
      assertThat(client.receive().status()).isEqualTo(204);
      client.send(post("Transfer-Encoding: chunked"));
      client.send("c350\r\n" + "y".repeat(50_000) + "\r\n0\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(204);
    }
    empty();
    assertThat(fixture.get("a")).isEqualTo(TEXT + "x".repeat(100_000) + "y".repeat(50_000));
  }

  @Test
  void anUploadThatFindsNoRoomToGrowGoesOnInAFile() throws Exception {
    startFull(NEVER);
    empty();
    try (RawClient client = fixture.raw()) {
      client.send(post("Transfer-Encoding: chunked"));
      client.send("2710\r\n" + "x".repeat(10_000) + "\r\n");
      NodeFixture.await("the first part", () -> fixture.node.liveBufferBytes() >= 10_000);
      fill();
      client.send("c350\r\n" + "y".repeat(50_000) + "\r\n0\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(204);
    }
    empty();
    assertThat(fixture.get("a")).isEqualTo(TEXT + "x".repeat(10_000) + "y".repeat(50_000));
  }

  @Test
  void uploadsOverHttp2GoOnThroughFilesAndTheirConnectionWithThem() throws Exception {
    startFull(NEVER);
    try (Http2Client client = fixture.http2()) {
      int poll = client.request(/* last= */ true, "GET", "/v1/stream/short?offset=now&live=sse");
      client.awaitText(poll, "upToDate");
      int first = upload(client, 'x');
      int second = upload(client, 'y');
      for (int part = 0; part < 4; part++) {
        send(client, first, 'x', part == 3);
        send(client, second, 'y', part == 3);
      }
      assertThat(client.await(first).status()).isEqualTo(204);
      assertThat(client.await(second).status()).isEqualTo(204);
      assertThat(client.response(poll).isOver()).isFalse();
      assertThat(client.goAways).isZero();
    }
    empty();
    String whole = fixture.get("a");
    assertThat(whole).startsWith(TEXT).hasSize(TEXT.length() + 2 * 5 * UPLOAD_PART_BYTES);
    assertThat(whole.replace(TEXT, "")).matches("x{150000}y{150000}|y{150000}x{150000}");
  }

  @Test
  void windowsThatClientsUseUpAtOnceWaitInTheKernel() throws Exception {
    startFull(NEVER);
    disk.pauseWrites();
    byte[] window = "w".repeat(HTTP2_WINDOW_BYTES).getBytes(US_ASCII);
    List<Http2Client> clients = new ArrayList<>();
    List<Integer> streams = new ArrayList<>();
    try {
      for (int i = 0; i < BUSY_CLIENTS; i++) {
        Http2Client client = fixture.http2();
        clients.add(client);
        streams.add(upload(client, window));
      }
      NodeFixture.await("all windows begun", () -> uploadingClients() == BUSY_CLIENTS);
      assertThat(fixture.metric("weir_http_failed_connections_total{reason=\"memory\"}")).isZero();
      disk.resumeWrites();
      for (int i = 0; i < BUSY_CLIENTS; i++) {
        assertThat(clients.get(i).await(streams.get(i)).status()).isEqualTo(204);
      }
    } finally {
      disk.resumeWrites();
      for (Http2Client client : clients) {
        client.close();
      }
    }
    empty();
    assertThat(fixture.get("a")).isEqualTo(TEXT + "w".repeat(BUSY_CLIENTS * HTTP2_WINDOW_BYTES));
  }

  /** What their streams hold is used up by nobody. */
  @Test
  void connectionsThatAreNotReadForWantOfRoomAreReadWhenThereIsSome() throws Exception {
    startFull(NEVER);
    List<Http2Client> clients = new ArrayList<>();
    try {
      for (int i = 0; i < BUSY_CLIENTS; i++) {
        Http2Client client = fixture.http2();
        clients.add(client);
        int events =
            client.request(/* last= */ false, "GET", "/v1/stream/short?offset=now&live=sse");
        client.data(events, new byte[UPLOAD_PART_BYTES], /* last= */ false);
        client.awaitText(events, "upToDate");
      }
      // Time for all loops to read on, if they did.
      for (int i = 0; i < 50; i++) {
        assertThat(fixture.metric(WAITS)).isZero();
      }
      assertThat(clients("connections").mapToLong(Budget::chargedBytes))
          .filteredOn(bytes -> bytes > 0)
          .as("what was read of connections that are not read on")
          .hasSizeGreaterThanOrEqualTo(BUSY_CLIENTS)
          .allMatch(bytes -> bytes < UPLOAD_PART_BYTES);
      empty();
      for (Http2Client client : clients) {
        assertThat(client.get("/v1/stream/short").text()).isEqualTo(SHORT);
      }
    } finally {
      for (Http2Client client : clients) {
        client.close();
      }
    }
  }

  private static int upload(Http2Client client, byte[] content) throws IOException {
    int stream =
        client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", "text/plain");
    client.data(stream, content, /* last= */ true);
    return stream;
  }

  private static int upload(Http2Client client, char content) throws IOException {
    int stream =
        client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", "text/plain");
    send(client, stream, content, /* last= */ false);
    return stream;
  }

  private static void send(Http2Client client, int stream, char content, boolean last)
      throws IOException {
    client.awaitWindow(stream, UPLOAD_PART_BYTES);
    client.data(stream, String.valueOf(content).repeat(UPLOAD_PART_BYTES).getBytes(US_ASCII), last);
  }

  @Test
  void aReadOverHttp2ThatFindsNoRoomInTimeIsToldAndItsConnectionGoesOn() throws Exception {
    startFull(SOON);
    try (Http2Client client = fixture.http2()) {
      Http2Client.Response response = client.get("/v1/stream/a");
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("retry-after")).isEqualTo("1");
      empty();
      assertThat(client.get("/v1/stream/a").text()).isEqualTo(TEXT);
    }
  }

  @Test
  void theConsoleShowsItsHistoryAndTheWholeMap() throws Exception {
    startFull(NEVER);
    NodeFixture.await("a long history", () -> history().length() > 10_000);
    assertThat(history()).contains("event: history").contains("\"residentBytes\"");
    try (RawClient client = fixture.raw()) {
      String map = client.send(get("pages?cells=16384")).receive().body();
      assertThat(map).hasSizeGreaterThan(10_000).endsWith("}");
    }
    try (Http2Client client = fixture.http2()) {
      assertThat(client.get("/_weir/pages?cells=16384").text()).hasSizeGreaterThan(10_000);
      int events = client.request(/* last= */ true, "GET", "/_weir/events");
      client.awaitText(events, "event: view");
      client.reset(events, (int) Http2Error.CANCEL.code());
    }
  }

  private String history() throws IOException {
    try (RawClient client = fixture.raw()) {
      return client.send(get("events")).readUntil("\n\n");
    }
  }

  private static String get(String target) {
    return "GET /_weir/" + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  private static String post(String length) {
    return "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        + length
        + "\r\n\r\n";
  }
}
