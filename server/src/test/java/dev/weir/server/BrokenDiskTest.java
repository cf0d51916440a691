package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.FaultyDisk;
import io.netty.handler.codec.http2.Http2Error;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that fails for good, as clients see it. */
class BrokenDiskTest {
  private static final int LONG_BYTES = 1_000_000;

  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    fixture = new NodeFixture(directory, disk);
    String content = "z".repeat(LONG_BYTES);
    assertThat(fixture.send("PUT", "a", "text/plain", content).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    fixture.close();
  }

  private double metric(String name) throws Exception {
    try (RawClient client = fixture.raw()) {
      return client.metric(name);
    }
  }

  @Test
  void afterAFailedSyncChangesAreRefusedAndReadsAreServed() throws Exception {
    assertThat(metric("weir_store_failed")).isZero();
    disk.failSyncs();
    // Its own sync, not the journal's.
    assertThat(fixture.send("POST", "a", "text/plain", "x".repeat(LONG_BYTES)).statusCode())
        .isEqualTo(500);
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> refused = fixture.send("POST", "a", "text/plain", "x");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("reads only").hasLineCount(1);
      assertThat(fixture.send("PUT", "b", "text/plain", "").statusCode()).isEqualTo(503);
      assertThat(fixture.send("DELETE", "a", null, "").statusCode()).isEqualTo(503);
    }
    assertIsRefusedByItsHead("POST /v1/stream/a");
    assertIsRefusedByItsHead("PUT /v1/stream/c");
    assertThat(fixture.get("a")).hasSize(LONG_BYTES);
    assertThat(metric("weir_store_failed")).isOne();
  }

  private void assertIsRefusedByItsHead(String request) throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          request
              + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
              + LONG_BYTES
              + "\r\nExpect: 100-continue\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 503");
    }
  }

  @Test
  void aReadThatFailsIsAnsweredAtOnceOrCutOff() throws Exception {
    disk.failReads();
    HttpResponse<String> refused = fixture.send("GET", "a", null, "");
    assertThat(refused.statusCode()).isEqualTo(500);
    assertThat(refused.body()).contains("IOException", "log").hasLineCount(1);
    assertThat(refused.body())
        .as("a text may have what is no client's business")
        .doesNotContain("Input/output error");
    try (RawClient client = fixture.raw()) {
      client.send("GET /v1/stream/a?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.rest()).doesNotContain("zzz");
    }
    assertThat(metric("weir_http_failed_connections_total{reason=\"error\"}")).isOne();
  }

  /** Not with an error of the client's, also where a compressor is amid the answer. */
  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip"})
  void aReadThatFailsHalfWayOverHttp2IsResetAsAnErrorOfTheNode(String coding) throws Exception {
    byte[] noise = new byte[4 * LONG_BYTES];
    new Random(3).nextBytes(noise);
    String content = Base64.getEncoder().encodeToString(noise);
    assertThat(fixture.send("PUT", "b", "text/plain", content).statusCode()).isEqualTo(201);
    try (Http2Client client = fixture.http2(/* windowBytes= */ 30_000, 0)) {
      client.stopOpeningWindows();
      int stream =
          client.request(/* last= */ true, "GET", "/v1/stream/b", "accept-encoding", coding);
      while (client.response(stream).body.size() < 30_000) {
        client.receive();
      }
      disk.failReads();
      client.openWindow(stream, 1 << 30);
      assertThat(client.await(stream).error).isEqualTo((int) Http2Error.INTERNAL_ERROR.code());
      assertThat(client.goAways).isZero();
    }
  }

  @Test
  void aReadThatFailsHalfWayIsCutOff() throws Exception {
    // More than the sockets hold between them.
    String content = "y".repeat(20 * LONG_BYTES);
    assertThat(fixture.send("PUT", "b", "text/plain", content).statusCode()).isEqualTo(201);
    try (RawClient client = new RawClient(fixture.node.address(), 8192)) {
      client.send("GET /v1/stream/b HTTP/1.1\r\nHost: localhost\r\n\r\n");
      client.readUntil("\r\n\r\n");
      disk.failReads();
      assertThat(client.skip(content.length())).isLessThan(content.length());
    }
    assertThat(metric("weir_http_failed_connections_total{reason=\"error\"}")).isOne();
  }
}
