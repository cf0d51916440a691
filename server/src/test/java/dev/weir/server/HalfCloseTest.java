package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that end their side, or vanish, at any point; on every transport that there is here. */
class HalfCloseTest {
  private static final String GET = "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String LIVE =
      "GET /v1/stream/a?offset=now&live=%s HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int BIG_BYTES = 4_000_000;
  private static final long CONNECTION_SHARE_BYTES = 256 << 10;

  @TempDir Path directory;
  private NodeFixture fixture;

  static Stream<Transport> transports() {
    return Arrays.stream(Transport.values()).filter(Transport::isAvailable);
  }

  private void start(Transport transport, String content) throws Exception {
    fixture =
        new NodeFixture(
            directory,
            NodeFixture.BUDGET_BYTES,
            new NodeParts(
                new LocalDisk(), transport, HttpLimits.forBudget(NodeFixture.BUDGET_BYTES)));
    assertThat(fixture.send("PUT", "a", "text/plain", content).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  @ParameterizedTest
  @MethodSource("transports")
  void whatWasAskedBeforeTheEndIsAnswered(Transport transport) throws Exception {
    start(transport, "z".repeat(BIG_BYTES));
    try (RawClient client = fixture.raw()) {
      client.send(GET).endOutput();
      assertThat(client.receive().body()).hasSize(BIG_BYTES);
      assertThat(client.isEnded()).isTrue();
    }
    try (RawClient client = fixture.raw()) {
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000)).endOutput();
      assertThat(client.readAll().split("HTTP/1.1 200 OK", -1)).hasSize(1001);
    }
    try (RawClient client = fixture.raw()) {
      client.send(post(3) + "abc").endOutput();
      assertThat(client.receive().status()).isEqualTo(204);
      assertThat(client.isEnded()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aSlowReaderThatEndedItsSideGetsEverything(Transport transport) throws Exception {
    start(transport, "z".repeat(BIG_BYTES));
    try (RawClient client = new RawClient(fixture.node.address(), 8192)) {
      client.send(GET).endOutput();
      client.readUntil("\r\n\r\n");
      for (int read = 0; read < BIG_BYTES; read += 100_000) {
        assertThat(client.read(100_000)).isEqualTo(100_000);
        // An answer to somebody else: the node has come to wait for this reader's socket.
        assertThat(fixture.send("HEAD", "a", null, "").statusCode()).isEqualTo(200);
      }
      assertThat(client.isEnded()).isTrue();
    }
  }

  /** More of what it has sent would be more than the share of a connection. */
  @ParameterizedTest
  @MethodSource("transports")
  void whatCannotBeUsedYetStaysInTheKernelAfterTheEnd(Transport transport) throws Exception {
    start(transport, "");
    try (RawClient client = fixture.raw()) {
      // The kernel gives a fast sender a large buffer.
      client.send(post(10 * BIG_BYTES)).send(new byte[10 * BIG_BYTES]);
      assertThat(client.receive().status()).isEqualTo(204);
      client.send(LIVE.formatted("long-poll") + post(300_000)).send(new byte[300_000]);
      client.endOutput();
      for (int i = 0; i < 50; i++) {
        assertThat(fixture.send("HEAD", "a", null, "").statusCode()).isEqualTo(200);
      }
      NodeFixture.await(
          "less than a share", () -> fixture.node.liveBufferBytes() < CONNECTION_SHARE_BYTES);
      assertThat(fixture.send("POST", "a", "text/plain", "news").statusCode()).isEqualTo(204);
      assertThat(client.receive().body()).isEqualTo("news");
      assertThat(client.receive().status()).isEqualTo(204);
      assertThat(client.isEnded()).isTrue();
    }
  }

  private static String post(int bytes) {
    return "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        + "Content-Length: %d\r\n\r\n".formatted(bytes);
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aRequestThatEndsTooEarlyIsRefused(Transport transport) throws Exception {
    start(transport, "");
    for (String part :
        new String[] {post(5) + "abc", post(1_000_000) + "abc", "GET / HTTP/1.1\r\nHo"}) {
      try (RawClient client = fixture.raw()) {
        client.send(part).endOutput();
        assertThat(client.receive().status()).isEqualTo(400);
        assertThat(client.isEnded()).isTrue();
      }
    }
    assertThat(fixture.get("a")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aLiveReadEndsWithItsClient(Transport transport) throws Exception {
    start(transport, "");
    for (String live : new String[] {"long-poll", "sse"}) {
      try (RawClient client = fixture.raw()) {
        client.send(LIVE.formatted(live)).endOutput();
        client.readAll();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  @EnabledOnOs(value = OS.LINUX, disabledReason = "reads /proc")
  void aClientThatVanishesLeavesNothing(Transport transport) throws Exception {
    start(transport, "z".repeat(BIG_BYTES));
    String[] parts = {
      "",
      "GET /",
      GET,
      post(5) + "abc",
      post(5) + "abcde",
      post(1_000_000) + "z".repeat(300_000),
      LIVE.formatted("long-poll"),
      LIVE.formatted("sse"),
      GET.repeat(10)
    };
    for (String part : parts) {
      fixture.raw().send(part).reset();
      RawClient heard = fixture.raw().send(part);
      fixture.awaitRead(heard);
      heard.reset();
      if (part.startsWith("GET /v1") && !part.contains("long-poll")) {
        RawClient served = fixture.raw().send(part);
        assertThat(served.skip(1)).isPositive();
        served.reset();
      }
    }
    assertThat(fixture.get("a")).startsWith("zzz");
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
  }
}
