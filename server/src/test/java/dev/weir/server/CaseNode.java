package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node for cases, with bystanders of both protocols who must not notice any. */
final class CaseNode implements AutoCloseable {
  private static final String QUIET_STREAM = "/v1/stream/quiet";
  private static final String[] OWN_FAILURES = {
    "weir_http_failed_connections_total{reason=\"error\"}",
    "weir_http2_failed_streams_total{reason=\"error\"}"
  };
  private static final int BIG_BYTES = 8_000_000;

  /** What a write of the journal needs is more. */
  private static final long NO_ROOM_BYTES = 3;

  final NodeFixture fixture;
  private final CaseSetting setting;
  private final FaultyDisk disk = new FaultyDisk();
  private final KnownBuffers buffers = new KnownBuffers();
  private final RawClient http1Bystander;
  private final Http2Client http2Bystander;
  private final int events;
  private @Nullable RawClient observer;
  private int news;

  CaseNode(CaseSetting setting, boolean encrypted, Path data, TestCertificate certificate)
      throws Exception {
    this.setting = setting;
    NodeParts parts = buffers.parts(disk, setting.limits());
    TlsEngine engine = encrypted ? TlsEngine.best() : null;
    fixture = NodeFixture.start(data, parts, certificate, engine);
    assertThat(send("PUT", CaseClient.STREAM, "")).isEqualTo(201);
    assertThat(send("PUT", CaseClient.BIG_STREAM, "z".repeat(BIG_BYTES))).isEqualTo(201);
    assertThat(send("PUT", QUIET_STREAM, "")).isEqualTo(201);
    String live = QUIET_STREAM + "?offset=now&live=sse";
    http1Bystander = fixture.raw();
    http1Bystander.send("GET " + live + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    http1Bystander.readUntil("upToDate");
    http2Bystander = fixture.http2();
    events = http2Bystander.request(/* last= */ true, "GET", live);
    http2Bystander.awaitText(events, "upToDate");
  }

  /** Sets the scene for a case. */
  void prepare() {
    disk.room(setting == CaseSetting.DISK_IS_FULL ? NO_ROOM_BYTES : Long.MAX_VALUE);
  }

  /** A client for what a test asks beside a case: one that has idled for long is ended. */
  private RawClient observer() throws IOException {
    if (setting == CaseSetting.IDLING_IS_SHORT || observer == null) {
      if (observer != null) {
        observer.close();
      }
      observer = fixture.raw();
    }
    return observer;
  }

  /** The end of the stream that cases append to. */
  String tail() throws IOException {
    return observer()
        .send("HEAD " + CaseClient.STREAM + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .receiveHead()
        .header("Stream-Next-Offset");
  }

  /** The bystanders hear what is new. */
  void assertOthersUnharmed() throws IOException {
    disk.room(Long.MAX_VALUE);
    String next = "news " + ++news + ".";
    assertThat(send("POST", QUIET_STREAM, next)).isEqualTo(204);
    http1Bystander.readUntil(next);
    http2Bystander.awaitText(events, next);
    assertThat(http2Bystander.goAways).isZero();
  }

  private int send(String method, String path, String text) throws IOException {
    String head =
        "%s %s HTTP/1.1\r\n"
            + "Host: localhost\r\n"
            + "Content-Type: text/plain\r\n"
            + "Content-Length: %d\r\n\r\n";
    return observer().send(head.formatted(method, path, text.length()) + text).receive().status();
  }

  /** Nothing is left of the client of a case, whose connection is closed. */
  void assertNothingLeft() throws IOException {
    NodeFixture.await(
        "no connection but the bystanders' and the observer's",
        () -> observer().metric("weir_http_open_connections") == 3);
    NodeFixture.await(
        "no stream but the bystander's", () -> observer().metric("weir_http2_open_streams") == 1);
    for (String counter : OWN_FAILURES) {
      assertThat(observer().metric(counter)).as("failures of the node's own").isZero();
    }
    fixture.assertNothingLeaked();
    NodeFixture.await("no charge", () -> charged(buffers.pool().rootBudget()).findAny().isEmpty());
  }

  /** Budgets to which something is charged but the newest bytes of streams. */
  private static Stream<String> charged(Budget budget) {
    if (budget.path().endsWith("log-cache")) {
      return Stream.empty();
    }
    Stream<String> below = budget.children().stream().flatMap(CaseNode::charged);
    long ofChildren = budget.children().stream().mapToLong(Budget::chargedBytes).sum();
    return budget.chargedBytes() == ofChildren
        ? below
        : Stream.concat(Stream.of(budget.path()), below);
  }

  @Override
  public void close() throws IOException {
    if (observer != null) {
      observer.close();
    }
    http1Bystander.close();
    http2Bystander.close();
    fixture.close();
  }
}
