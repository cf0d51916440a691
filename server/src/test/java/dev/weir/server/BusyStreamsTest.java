package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As many streams of HTTP/2 as the smallest budget allows, each holding as much as it can. */
class BusyStreamsTest {
  private static final long BUDGET_BYTES = 16 << 20;
  private static final int STREAM_BYTES = 1_000_000;
  private static final int OPERATORS = 16;
  private static final Duration NEVER = Duration.ofDays(1);

  @TempDir Path directory;

  private static NodeParts parts(int connections) {
    return new NodeParts(
        new LocalDisk(),
        Transport.best(),
        new HttpLimits(connections, 1 << 30, BUDGET_BYTES / 4, NEVER, NEVER, NEVER, NEVER, NEVER));
  }

  @Test
  void stayWithinTheBudget() throws Exception {
    int places = HttpLimits.forBudget(BUDGET_BYTES).maxConnections();
    try (NodeFixture fixture = new NodeFixture(directory, BUDGET_BYTES, parts(places));
        Http2Client observer = fixture.http2()) {
      String[] type = {"content-type", "text/plain"};
      observer.exchange("PUT", "/v1/stream/a", new byte[0], type);
      fixture.send("PUT", "big", "text/plain", "z".repeat(STREAM_BYTES));
      fixture.http.close();
      int streams = observer.settingsMaxStreams;
      List<Http2Client> clients = new ArrayList<>();
      List<List<Integer>> reads = new ArrayList<>();
      List<List<Integer>> uploads = new ArrayList<>();
      for (int taken = 1 + streams; taken <= places; taken += streams) {
        Http2Client client =
            fixture.http2(/* windowBytes= */ 1 << 20, /* receiveBufferBytes= */ 8192);
        clients.add(client);
        List<Integer> reading = new ArrayList<>();
        List<Integer> sending = new ArrayList<>();
        for (int i = 0; i < streams / 2; i++) {
          reading.add(client.request(/* last= */ true, "GET", "/v1/stream/big"));
          int upload = client.request(/* last= */ false, "POST", "/v1/stream/a", type);
          client.data(upload, new byte[60_000], /* last= */ false);
          sending.add(upload);
        }
        reads.add(reading);
        uploads.add(sending);
      }
      // Nobody reads yet, and whoever asks is answered.
      assertThat(observer.get("/").status()).isEqualTo(200);
      for (int i = 0; i < clients.size(); i++) {
        Http2Client client = clients.get(i);
        for (int upload : uploads.get(i)) {
          client.data(upload, new byte[1], /* last= */ true);
          assertThat(client.await(upload).status()).isEqualTo(204);
        }
        for (int read : reads.get(i)) {
          assertThat(client.await(read).body.size()).isEqualTo(STREAM_BYTES);
        }
        client.close();
      }
      assertThat(fixture.metric("weir_http_memory_waits_total")).isZero();
      assertThat(fixture.metric("weir_http2_refused_streams_total")).isZero();
      assertThat(fixture.metric("weir_http_failed_connections_total{reason=\"memory\"}")).isZero();
      assertThat(fixture.metric("weir_http2_failed_streams_total{reason=\"memory\"}")).isZero();
      fixture.assertNothingLeaked();
      assertThat(fixture.node.peakResidentBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
    }
  }

  @Test
  void aConnectionTooManyIsTurnedAwayAsItHasAgreed() throws Exception {
    TestCertificate certificate = TestCertificate.create(directory.resolve("keys"));
    TlsCredentials credentials = TlsCredentials.read(certificate.certificate(), certificate.key());
    for (TlsEngine engine : TlsEngine.values()) {
      if (!engine.isAvailable()) {
        continue;
      }
      try (NodeFixture fixture =
              new NodeFixture(
                  directory.resolve(engine.name()),
                  BUDGET_BYTES,
                  parts(/* connections= */ 1).encrypted(new Node.TlsSettings(credentials, engine)),
                  certificate);
          Http2Client served = fixture.http2()) {
        assertThat(served.get("/").status()).isEqualTo(200);
        // The machine may hold up those who take the operators' places until these end.
        NodeFixture.await("a connection too many", () -> isTurnedAway(fixture));
        assertThat(served.get("/").status()).isEqualTo(200);
      }
    }
  }

  /** Whether one more is told so, behind silent ones that have the operators' places. */
  private static boolean isTurnedAway(NodeFixture fixture) throws IOException {
    List<RawClient> silent = new ArrayList<>();
    try {
      for (int i = 0; i < OPERATORS; i++) {
        silent.add(fixture.raw());
      }
      try (Http2Client further = fixture.http2()) {
        further.awaitEnd();
        assertThat(further.lastStreamOfGoAway).isZero();
        return further.errorOfGoAway == (int) Http2Error.ENHANCE_YOUR_CALM.code();
      }
    } finally {
      for (RawClient client : silent) {
        client.close();
      }
    }
  }
}
