package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that the node serves, over HTTP/2, on each transport and with each engine. */
class Http2Test {
  private static final byte[] NOTHING = {};
  private static TestCertificate certificate;

  @TempDir Path directory;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  private NodeFixture start(Transport transport, @Nullable TlsEngine engine) throws Exception {
    NodeParts parts =
        new NodeParts(new LocalDisk(), transport, HttpLimits.forBudget(NodeFixture.BUDGET_BYTES));
    return NodeFixture.start(directory, parts, certificate, engine);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.TransportsTest#ways")
  void everyRouteIsServedOnOneConnection(Transport transport, @Nullable TlsEngine engine)
      throws Exception {
    try (NodeFixture fixture = start(transport, engine)) {
      long elsewhere = NodeFixture.bytesOfNetty();
      try (Http2Client client = fixture.http2()) {
        assertThat(client.get("/").status()).isEqualTo(200);
        assertThat(
                client
                    .exchange("PUT", "/v1/stream/a", NOTHING, "content-type", "text/plain")
                    .status())
            .isEqualTo(201);
        Http2Client.Response appended =
            client.exchange(
                "POST", "/v1/stream/a", "hello".getBytes(UTF_8), "content-type", "text/plain");
        assertThat(appended.status()).isEqualTo(204);
        String offset = appended.header("stream-next-offset");
        Http2Client.Response read = client.get("/v1/stream/a?offset=-1");
        assertThat(read.status()).isEqualTo(200);
        assertThat(read.text()).isEqualTo("hello");
        assertThat(read.header("content-length")).isEqualTo("5");
        assertThat(read.header("transfer-encoding")).isNull();
        assertThat(read.header("connection")).isNull();
        assertThat(
                client.get("/v1/stream/a?offset=-1", "if-none-match", read.header("etag")).status())
            .isEqualTo(304);
        Http2Client.Response head = client.exchange("HEAD", "/v1/stream/a", NOTHING);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(client.get("/v1/stream/missing").status()).isEqualTo(404);
        assertThat(client.exchange("PATCH", "/v1/stream/a", NOTHING).status()).isEqualTo(405);

        int poll =
            client.request(
                /* last= */ true, "GET", "/v1/stream/a?offset=" + offset + "&live=long-poll");
        int events = client.request(/* last= */ true, "GET", "/v1/stream/a?offset=-1&live=sse");
        client.awaitText(events, "upToDate");
        assertThat(client.response(events).text()).contains("data:hello");
        int console = client.request(/* last= */ true, "GET", "/_weir/events");
        client.awaitText(console, "event: view");
        assertThat(
                client
                    .exchange(
                        "POST",
                        "/v1/stream/a",
                        "news".getBytes(UTF_8),
                        "content-type",
                        "text/plain")
                    .status())
            .isEqualTo(204);
        assertThat(client.await(poll).text()).isEqualTo("news");
        client.awaitText(events, "data:news");
        assertThat(client.get("/_weir/snapshot").status()).isEqualTo(200);
        Http2Client.Response metrics = client.get("/metrics");
        assertThat(metrics.text())
            .contains("weir_http_requests_total{protocol=\"h2\",route=\"read\",status=\"200\"}")
            .contains("weir_http_open_connections 1.0")
            .contains("weir_http2_open_streams");
        assertThat(client.exchange("DELETE", "/v1/stream/a", NOTHING).status()).isEqualTo(204);
        client.await(events);
        assertThat(client.response(events).error).isNegative();
      }
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
      assertThat(NodeFixture.bytesOfNetty()).isLessThanOrEqualTo(elsewhere);
    }
  }

  /** A client that others have written, with its own idea of windows and of when to end. */
  @ParameterizedTest
  @MethodSource("dev.weir.server.TlsFaultsTest#engines")
  void theClientOfTheJdkIsServed(TlsEngine engine) throws Exception {
    byte[] body = new byte[20_000_000];
    new Random(3).nextBytes(body);
    try (NodeFixture fixture = start(Transport.best(), engine);
        HttpClient http = HttpClient.newBuilder().sslContext(certificate.trusting()).build()) {
      HttpRequest.Builder stream = HttpRequest.newBuilder(fixture.uri("/v1/stream/jdk"));
      stream.header("Content-Type", "application/octet-stream");
      HttpResponse<byte[]> created =
          http.send(
              stream.PUT(BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofByteArray());
      assertThat(created.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(created.statusCode()).isEqualTo(201);
      List<CompletableFuture<HttpResponse<byte[]>>> reads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        reads.add(http.sendAsync(stream.GET().build(), BodyHandlers.ofByteArray()));
      }
      for (CompletableFuture<HttpResponse<byte[]>> read : reads) {
        assertThat(read.get().version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(read.get().body()).isEqualTo(body);
      }
      assertThat(http.send(stream.HEAD().build(), BodyHandlers.discarding()).statusCode())
          .isEqualTo(200);
      fixture.assertNothingLeaked();
      assertThat(fixture.node.peakResidentBytes()).isLessThan(NodeFixture.BUDGET_BYTES);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.TransportsTest#ways")
  void manyStreamsGoOnAtOnce(Transport transport, @Nullable TlsEngine engine) throws Exception {
    Random random = new Random(5);
    try (NodeFixture fixture = start(transport, engine);
        Http2Client client = fixture.http2()) {
      long elsewhere = NodeFixture.bytesOfNetty();
      client.get("/");
      int count = client.settingsMaxStreams;
      assertThat(count).isBetween(4, 100);
      List<byte[]> bodies = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        bodies.add(new byte[30_000 + random.nextInt(30_000)]);
        random.nextBytes(bodies.get(i));
      }
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        streams.add(
            client.request(
                /* last= */ false,
                "PUT",
                "/v1/stream/s" + i,
                "content-type",
                "application/octet-stream"));
      }
      for (int i = 0; i < count; i++) {
        client.data(streams.get(i), Arrays.copyOf(bodies.get(i), 20_000), /* last= */ false);
      }
      for (int i = count - 1; i >= 0; i--) {
        byte[] body = bodies.get(i);
        client.data(
            streams.get(i), Arrays.copyOfRange(body, 20_000, body.length), /* last= */ true);
      }
      for (int stream : streams) {
        assertThat(client.await(stream).status()).isEqualTo(201);
      }
      streams.clear();
      for (int i = 0; i < count; i++) {
        streams.add(client.request(/* last= */ true, "GET", "/v1/stream/s" + i));
      }
      for (int i = 0; i < count; i++) {
        assertThat(client.await(streams.get(i)).body.toByteArray()).isEqualTo(bodies.get(i));
      }
      assertThat(NodeFixture.bytesOfNetty()).isLessThanOrEqualTo(elsewhere);
    }
  }
}
