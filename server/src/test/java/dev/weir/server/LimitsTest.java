package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that keep the node waiting, and too many of them. A test waits for the node's answer. */
class LimitsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration SOON = Duration.ofMillis(40);
  private static final int MAX_CONNECTIONS = 16;

  @TempDir Path directory;
  private NodeFixture fixture;

  private void start(Duration idleTimeout, Duration stallTimeout) throws Exception {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits =
        new HttpLimits(
            MAX_CONNECTIONS, 1 << 30, budget / 4, idleTimeout, stallTimeout, NEVER, NEVER, NEVER);
    fixture =
        new NodeFixture(
            directory, budget, new NodeParts(new LocalDisk(), Transport.best(), limits));
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private void create(String content) throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "PUT /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Content-Length: %d\r\n\r\n%s".formatted(content.length(), content));
      assertThat(client.receive().status()).isEqualTo(201);
    }
  }

  @Test
  void aConnectionWithoutARequestIsClosed() throws Exception {
    start(SOON, NEVER);
    try (RawClient silent = fixture.raw();
        RawClient served = fixture.raw()) {
      served.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      // Served if it came in time, and no 408 in either case.
      assertThat(served.readAll()).doesNotContain("408");
      assertThat(silent.readAll()).isEmpty();
    }
  }

  @Test
  void halfAHeadIsRefusedWithTheLimit() throws Exception {
    start(SOON, NEVER);
    // A client that the machine holds up before it sends is just closed, and comes again.
    NodeFixture.await(
        "an answer",
        () -> {
          try (RawClient client = fixture.raw()) {
            String answer = client.send("GET / HTTP/1.1\r\nHos").rest();
            if (!answer.isEmpty()) {
              assertThat(answer).startsWith("HTTP/1.1 408 ");
              assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4))
                  .contains("40 ms")
                  .hasLineCount(1);
            }
            return !answer.isEmpty();
          }
        });
  }

  /** Which protocol would tell it so is not known yet. */
  @Test
  void halfAPrefaceEndsWithAReasonCounted() throws Exception {
    start(SOON, NEVER);
    String stalled = "weir_http_failed_connections_total{reason=\"stalled\"}";
    NodeFixture.await(
        "a reason",
        () -> {
          try (RawClient client = fixture.raw()) {
            assertThat(client.send("PRI * HTTP/2.0\r\n\r\nSM").rest()).isEmpty();
          }
          return fixture.metric(stalled) > 0;
        });
  }

  @Test
  void aReaderThatStopsLosesItsConnection() throws Exception {
    // While the stream is made, nobody is in a hurry.
    start(NEVER, NEVER);
    create("z".repeat(20_000_000));
    stop();
    start(NEVER, SOON);
    String path = "GET /v1/stream/a?offset=";
    try (RawClient whole = new RawClient(fixture.node.address(), 8192);
        RawClient events = new RawClient(fixture.node.address(), 8192)) {
      whole.send(path + "-1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      events.send(path + "-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      whole.readUntil("\r\n\r\n");
      events.readUntil("\r\n\r\n");
      // Neither reads nor goes away, and yet both are gone.
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      assertThat(whole.skip(20_000_000)).isLessThan(20_000_000);
      assertThat(events.skip(20_000_000)).isLessThan(20_000_000);
    }
  }

  @Test
  void aLiveReaderThatStopsAfterItHasWaitedLosesItsConnectionToo() throws Exception {
    start(NEVER, SOON);
    create("");
    try (RawClient events = new RawClient(fixture.node.address(), 8192)) {
      events.send("GET /v1/stream/a?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      events.readUntil("upToDate");
      // A writer that the machine holds up for too long is cut off itself, and comes again.
      NodeFixture.await("an append", () -> appends(20_000_000));
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      assertThat(events.skip(20_000_000)).isLessThan(20_000_000);
    }
  }

  private boolean appends(int bytes) {
    try (RawClient writer = fixture.raw()) {
      writer.send(
          "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Content-Length: %d\r\n\r\n".formatted(bytes));
      return writer.send(new byte[bytes]).receive().status() == 204;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aConnectionAboveTheLimitIsTurnedAwayWithAReason() throws Exception {
    start(NEVER, NEVER);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      clients.add(fixture.raw());
      clients.getLast().send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(clients.getLast().receive().status()).isEqualTo(200);
    }
    for (int i = 0; i < 100; i++) {
      try (RawClient further = fixture.raw()) {
        further.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n");
        RawClient.Response response = further.receive();
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("retry-after")).isEqualTo("1");
        assertThat(response.body()).endsWith("takes\n").hasLineCount(1);
        assertThat(further.isEnded()).isTrue();
      }
    }
    for (RawClient client : clients) {
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(200);
      client.close();
    }
    NodeFixture.await("room again", this::isServed);
  }

  private boolean isServed() {
    try (RawClient client = fixture.raw()) {
      return client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").receive().status() == 200;
    } catch (IOException e) {
      return false;
    }
  }
}
