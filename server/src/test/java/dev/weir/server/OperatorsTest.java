package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All places of a node are taken: those who look after it are served, beyond the limit. */
@Timeout(120)
class OperatorsTest {
  private static final Duration NEVER = Duration.ofDays(1);

  /** For a head; a client that the machine holds up for longer comes again. */
  private static final Duration SOON = Duration.ofMillis(300);

  private static final int PLACES = 16;
  private static final int OPERATORS = 16;
  private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n\r\n";

  @TempDir Path directory;
  private final List<RawClient> readers = new ArrayList<>();
  private NodeFixture fixture;

  /** Readers take all places, and wait for news. */
  private void start(boolean encrypted, Duration idleTimeout) throws Exception {
    HttpLimits limits =
        new HttpLimits(PLACES, 1 << 30, 8 << 20, idleTimeout, NEVER, NEVER, NEVER, NEVER);
    TestCertificate certificate = TestCertificate.create(directory.resolve("keys"));
    NodeParts parts = new NodeParts(new LocalDisk(), Transport.best(), limits);
    if (encrypted) {
      // With the same limits, so many as the node has in the clear.
      parts = parts.within(limitsBeforeTls(limits));
    }
    fixture =
        NodeFixture.start(
            directory.resolve("data"), parts, certificate, encrypted ? TlsEngine.best() : null);
    NodeFixture.await("a stream", this::isThere);
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    while (readers.size() < PLACES) {
      addReader();
    }
  }

  private static HttpLimits limitsBeforeTls(HttpLimits limits) {
    return new HttpLimits(
        PLACES * 3 / 2,
        limits.maxBodyBytes(),
        limits.stagingBytes(),
        limits.idleTimeout(),
        NEVER,
        NEVER,
        NEVER,
        NEVER);
  }

  private boolean isThere() {
    try (RawClient client = fixture.raw()) {
      client.send(
          "PUT /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Content-Length: 0\r\n\r\n");
      return client.receive().status() < 300;
    } catch (IOException again) {
      return false;
    }
  }

  private void addReader() throws IOException {
    RawClient reader = fixture.raw();
    reader.send("GET /v1/stream/a?offset=now&live=sse" + HOST);
    if (reader.readUntil("\r\n\r\n").startsWith("HTTP/1.1 200")) {
      readers.add(reader);
    } else {
      reader.close();
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (RawClient reader : readers) {
      reader.close();
    }
    fixture.endWithNothingLeft();
  }

  private int status(CaseWire wire, String method, String path) {
    try {
      if (wire.isHttp2()) {
        try (Http2Client client = fixture.http2()) {
          int status = client.exchange(method, path, new byte[0]).status();
          client.awaitEnd();
          return status;
        }
      }
      try (RawClient client = fixture.raw()) {
        client.send(method + " " + path + HOST);
        RawClient.Response answer = method.equals("HEAD") ? client.receiveHead() : client.receive();
        assertThat(answer.header("connection")).isEqualTo("close");
        assertThat(client.isEnded()).isTrue();
        return answer.status();
      }
    } catch (IOException late) {
      return 0;
    }
  }

  @ParameterizedTest
  @EnumSource
  void operatorsAreServedAndNobodyElse(CaseWire wire) throws Exception {
    start(wire.isEncrypted(), NEVER);
    for (String path : List.of("/metrics", "/health", "/_weir/", "/_weir/snapshot")) {
      assertThat(status(wire, "GET", path)).as(path).isEqualTo(200);
    }
    assertThat(status(wire, "HEAD", "/health")).isEqualTo(200);
    for (String path : List.of("/", "/v1/stream/a", "/elsewhere", "/metrics/no")) {
      assertThat(status(wire, "GET", path)).as(path).isEqualTo(503);
    }
    assertThat(status(wire, "POST", "/v1/stream/a")).isEqualTo(503);
    // One place comes free: everybody is served again.
    readers.removeLast().close();
    NodeFixture.await(
        "a place",
        () -> {
          try (RawClient client = fixture.raw()) {
            return client.send("GET /" + HOST).receive().status() == 200;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET /metr", "PRI * HTTP/2.0\r\n\r\nSM"})
  void slowClientsKeepNoOperatorOut(String beginning) throws Exception {
    start(/* encrypted= */ false, SOON);
    List<RawClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 4 * OPERATORS; i++) {
        slow.add(fixture.raw().send(beginning));
      }
      NodeFixture.await("figures", () -> status(CaseWire.HTTP1, "GET", "/metrics") == 200);
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
    assertThat(readers).hasSize(PLACES);
  }

  @Test
  void aConnectionThatEndsAmidAHeadGivesItsPlaceBack() throws Exception {
    start(/* encrypted= */ false, NEVER);
    for (int i = 0; i < 4 * OPERATORS; i++) {
      fixture.raw().send("GET /metr").close();
    }
    NodeFixture.await("figures", () -> status(CaseWire.HTTP1, "GET", "/metrics") == 200);
  }
}
