package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every connection that the smallest budget allows, each holding as much as it can. */
class BusyConnectionsTest {
  private static final long BUDGET_BYTES = 16 << 20;
  private static final int STREAM_BYTES = 8_000_000;

  private enum Load {
    UPLOADS("POST /v1/stream/a HTTP/1.1\r\nContent-Length: 60001\r\n"),
    CHUNKED_UPLOADS("POST /v1/stream/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"),
    /** Without a coding they would be sent the file. */
    READERS("GET /v1/stream/a HTTP/1.1\r\nAccept-Encoding: identity\r\n"),
    /** A stream of line ends, of which each takes six bytes in an event. */
    TEXT_EVENTS("GET /v1/stream/a?offset=-1&live=sse HTTP/1.1\r\n"),
    BINARY_EVENTS("GET /v1/stream/b?offset=-1&live=sse HTTP/1.1\r\n");

    private final String head;

    Load(String head) {
      this.head = head + "Host: localhost\r\nContent-Type: text/plain\r\n\r\n";
    }

    void begin(RawClient client) throws Exception {
      client.send(head);
      switch (this) {
        case UPLOADS -> client.send(new byte[60_000]);
        case CHUNKED_UPLOADS -> client.send("ea60\r\n").send(new byte[60_000]).send("\r\n");
        default -> client.readUntil("\r\n\r\n");
      }
    }

    boolean isUpload() {
      return this == UPLOADS || this == CHUNKED_UPLOADS;
    }

    void finishUpload(RawClient client) throws Exception {
      client.send(this == UPLOADS ? "." : "0\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(204);
    }
  }

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("dev.weir.server.HalfCloseTest#transports")
  void stayWithinTheBudget(Transport transport) throws Exception {
    stayWithinTheBudget(transport, null, HttpLimits.forBudget(BUDGET_BYTES));
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.TlsFaultsTest#engines")
  void stayWithinTheBudgetWithTls(TlsEngine engine) throws Exception {
    stayWithinTheBudget(Transport.best(), engine, HttpLimits.forBudget(BUDGET_BYTES).withTls());
  }

  private void stayWithinTheBudget(Transport transport, @Nullable TlsEngine engine, HttpLimits real)
      throws Exception {
    // Patient with clients: a machine that is busy elsewhere may keep them waiting for long.
    Duration never = Duration.ofDays(1);
    HttpLimits limits =
        new HttpLimits(
            real.maxConnections(),
            real.maxBodyBytes(),
            real.stagingBytes(),
            never,
            never,
            never,
            never,
            never);
    NodeParts parts = new NodeParts(new LocalDisk(), transport, limits);
    TestCertificate certificate = engine == null ? null : TestCertificate.create(directory);
    if (engine != null) {
      TlsCredentials credentials =
          TlsCredentials.read(certificate.certificate(), certificate.key());
      parts = parts.encrypted(new Node.TlsSettings(credentials, engine));
    }
    try (NodeFixture fixture =
            new NodeFixture(directory.resolve("data"), BUDGET_BYTES, parts, certificate);
        RawClient observer = fixture.raw()) {
      create(observer, "a", "text/plain");
      create(observer, "b", "image/png");
      // Every connection that the node takes: the observer's is one.
      int count = limits.maxConnections() - 1;
      for (Load load : Load.values()) {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          RawClient client = fixture.raw(8192);
          clients.add(client);
          load.begin(client);
        }
        for (RawClient client : clients) {
          if (load.isUpload()) {
            load.finishUpload(client);
          } else {
            // Everybody is still served: nobody was cut off for want of memory.
            assertThat(client.skip(1_000_000)).isGreaterThanOrEqualTo(1_000_000);
          }
          client.close();
        }
        NodeFixture.await("no other connection", () -> observer.openConnections() == 1);
        fixture.assertNothingLeaked();
        assertThat(fixture.node.peakResidentBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
        // There was room for all of them: nobody had to wait, or was refused.
        assertThat(observer.metric("weir_http_memory_waits_total")).as(load.name()).isZero();
        assertThat(observer.metric("weir_http_failed_connections_total{reason=\"memory\"}"))
            .as(load.name())
            .isZero();
      }
    }
  }

  private static void create(RawClient client, String stream, String type) throws Exception {
    client.send(
        "PUT /v1/stream/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(stream, type, STREAM_BYTES));
    assertThat(client.send("\n".repeat(STREAM_BYTES)).receive().status()).isEqualTo(201);
  }
}
