package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.fetch.FetchException;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.fetch.FetchResult;
import dev.weir.replication.fetch.Progress;
import dev.weir.replication.fetch.Standby;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.streams.objects.directory.DirectoryReader;
import dev.weir.streams.recovery.Doctor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node is copied while it runs, is killed, and the copy takes its place. */
class StandbyPromotionTest {
  private static final int PIECE_BYTES = 100_000;
  private static final long POLL_NANOS = 100_000_000;

  @TempDir Path folder;

  private Path standbyFolder() {
    return folder.resolve("standby");
  }

  private static NodeParts offering() {
    return NodeParts.forBudget(NodeFixture.BUDGET_BYTES)
        .replicating(
            ReplicationSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
  }

  private NodeFixture start(String data, NodeParts parts) throws IOException {
    return new NodeFixture(folder.resolve(data), NodeFixture.BUDGET_BYTES, parts);
  }

  private Standby follow(InetSocketAddress source) throws IOException {
    return Standby.open(FetchOptions.of(source, StoreReplication.CONTAINER, standbyFolder()));
  }

  private static InetSocketAddress copiesOf(NodeFixture fixture) {
    InetSocketAddress address = fixture.node.replicationAddress();
    if (address == null) {
      throw new AssertionError("the node offers nothing");
    }
    return address;
  }

  /** Right after one snapshot the next has to wait, a second for each that is pinned. */
  private static FetchResult turn(Standby standby, Progress progress) throws Exception {
    FetchResult brought = standby.turn(progress).brought();
    while (brought == null) {
      LockSupport.parkNanos(POLL_NANOS);
      brought = standby.turn(progress).brought();
    }
    return brought;
  }

  private Doctor.Report examine() throws IOException {
    try (DirectoryReader objects =
        DirectoryReader.open(standbyFolder().resolve(StoreReplication.CONTAINER))) {
      return Doctor.examine(objects);
    }
  }

  private static String piece(int number) {
    return Character.toString('a' + number).repeat(PIECE_BYTES);
  }

  private static int send(HttpClient http, String method, URI uri, String body) throws Exception {
    return http.send(
            HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "text/plain")
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void afterAKillTheStandbyServesAllThatWasFlushed() throws Exception {
    String flushed = piece(0) + piece(1);
    try (NodeProcess process =
            NodeProcess.with(
                List.of(
                    "--port",
                    "0",
                    "--data",
                    folder.resolve("data").toString(),
                    "--budget",
                    "32M",
                    "--flush-every",
                    "10ms",
                    "--replicate-listen",
                    "127.0.0.1:0"));
        HttpClient http = HttpClient.newHttpClient()) {
      URI copies = URI.create(process.await(".* can copy the store from (\\S+)"));
      URI stream = process.uri("/v1/stream/a");
      assertThat(send(http, "PUT", stream, piece(0))).isEqualTo(201);
      assertThat(send(http, "POST", stream, piece(1))).isEqualTo(204);
      NodeFixture.await("all is flushed", () -> unflushed(process) == 0);
      try (Standby standby = follow(new InetSocketAddress(copies.getHost(), copies.getPort()))) {
        assertThat(turn(standby, new Progress()).directory())
            .isEqualTo(standbyFolder().toRealPath().resolve("store"));
      }
      process.process.destroyForcibly().waitFor();
    }
    assertThat(examine().damages()).isEmpty();

    StorageSettings promoted =
        new StorageSettings(
            standbyFolder().resolve("store").toString(),
            null,
            StorageSettings.SHARE,
            StorageSettings.SHARE,
            Duration.ofMinutes(1),
            64 << 20,
            8L << 30,
            /* takesOver= */ true,
            /* withoutWal= */ true,
            null);
    try (NodeFixture fixture =
        start("new-data", NodeParts.forBudget(NodeFixture.BUDGET_BYTES).keeping(promoted))) {
      assertThat(fixture.get("a")).isEqualTo(flushed);
      assertThat(fixture.send("POST", "a", "text/plain", "since").statusCode()).isEqualTo(204);
      assertThat(fixture.get("a")).isEqualTo(flushed + "since");
      try (Standby standby = follow(new InetSocketAddress("127.0.0.1", 1))) {
        assertThat(standby.isOpened()).isTrue();
        assertThatThrownBy(() -> standby.turn(new Progress()))
            .isInstanceOf(FetchException.class)
            .hasMessageContaining("no standby any more");
      }
    }
  }

  private static double unflushed(NodeProcess process) throws IOException {
    try (RawClient client = new RawClient(process.address())) {
      // A flush that is not through keeps its age.
      return client.metric("weir_unflushed_bytes") + client.metric("weir_unflushed_seconds");
    }
  }

  @Test
  void eachTurnIsAWholeStoreAndBringsOnlyNewSegments() throws Exception {
    try (NodeFixture fixture = start("data", offering());
        Standby standby = follow(copiesOf(fixture))) {
      assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
      for (int number = 0; number < 2; number++) {
        assertThat(fixture.send("POST", "a", "text/plain", piece(number)).statusCode())
            .isEqualTo(204);
        fixture.node.flush().join();
        Progress progress = new Progress();
        turn(standby, progress);
        assertThat(examine().damages()).isEmpty();
        assertThat(examine().streams()).isEqualTo(1);
        assertThat(progress.receivedBytes()).isBetween((long) PIECE_BYTES, 2L * PIECE_BYTES);
      }
      assertThat(fixture.send("POST", "a", "text/plain", "not yet").statusCode()).isEqualTo(204);
      Standby.Turn last = standby.turn(new Progress());
      assertThat(last.brought()).isNull();
      assertThat(last.lag().bytes()).isEqualTo("not yet".length());
      assertThat(fixture.metric("weir_replication_pinned_snapshots")).isEqualTo(2);
      assertThat(fixture.metric("weir_replication_lag_bytes")).isEqualTo("not yet".length());
      assertThat(fixture.metric("weir_replication_sent_bytes_total"))
          .isGreaterThan(2.0 * PIECE_BYTES);
      assertThat(fixture.metric("weir_replication_refusals_total")).isZero();
    }
    assertThat(folder.resolve("data/objects/~snapshots")).isEmptyDirectory();
  }

  @Test
  void segmentsThatAreDeletedMeanwhileCanStillBeCopied() throws Exception {
    try (NodeFixture fixture = start("data", offering())) {
      assertThat(fixture.send("PUT", "a", "text/plain", piece(0)).statusCode()).isEqualTo(201);
      fixture.node.flush().join();
      try (HttpClient http = HttpClient.newHttpClient()) {
        URI base = URI.create("http://127.0.0.1:" + copiesOf(fixture).getPort());
        HttpResponse<byte[]> manifest = get(http, base, "manifest", "Accept", "*/*");
        String tag = manifest.headers().firstValue("ETag").orElse("");
        assertThat(manifest.headers().firstValue("Weir-Lag-Bytes")).hasValue("0");
        byte[] before = get(http, base, "bytes", "If-Match", tag).body();
        http.send(
            HttpRequest.newBuilder(fixture.uri("/v1/stream/a")).DELETE().build(),
            HttpResponse.BodyHandlers.discarding());
        fixture.node.flush().join();
        NodeFixture.await(
            "the segment is deleted",
            () -> {
              fixture.node.flush().join();
              return segments() == 0;
            });
        assertThat(get(http, base, "bytes", "If-Match", tag).body()).isEqualTo(before);
      }
    }
  }

  @Test
  void overTlsOnlyStandbysWithACertificateOfTheAuthorityAreLetIn() throws Exception {
    TestCertificate own = TestCertificate.create(folder.resolve("own"));
    TestCertificate other = TestCertificate.create(folder.resolve("other"));
    NodeParts parts =
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES)
            .replicating(
                new ReplicationSettings(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    16 << 20,
                    new RateLimit(0),
                    TlsContexts.server(own.certificate(), own.key(), own.certificate())));
    try (NodeFixture fixture = start("data", parts)) {
      FetchOptions options =
          FetchOptions.of(copiesOf(fixture), StoreReplication.CONTAINER, standbyFolder());
      try (Standby standby =
          Standby.open(
              options.secured(
                  TlsContexts.client(own.certificate(), other.certificate(), other.key())))) {
        assertThatThrownBy(() -> standby.turn(new Progress())).hasMessageContaining("TLS fails");
      }
      try (Standby standby =
          Standby.open(
              options.secured(
                  TlsContexts.client(own.certificate(), own.certificate(), own.key())))) {
        assertThat(standby.turn(new Progress()).brought()).isNotNull();
      }
      assertThat(examine().damages()).isEmpty();
    }
  }

  private long segments() throws IOException {
    try (Stream<Path> all = Files.walk(folder.resolve("data/objects/seg"))) {
      return all.filter(Files::isRegularFile).count();
    }
  }

  private static HttpResponse<byte[]> get(
      HttpClient http, URI base, String what, String header, String value) throws Exception {
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(base.resolve("/containers/store/" + what))
                .header(header, value)
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(response.statusCode()).isEqualTo(200);
    return response;
  }
}
