package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.console.Console;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Those who watch, many at once, badly, and at bad moments. */
class ConsoleLoadTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final String EVENTS = "GET /_weir/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String SNAPSHOT = "GET /_weir/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n";

  @TempDir Path directory;
  private final KnownBuffers buffers = new KnownBuffers();

  private NodeFixture start(Duration stallTimeout, Duration liveTimeout, Duration interval)
      throws IOException {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits =
        new HttpLimits(96, 1 << 30, budget / 4, NEVER, stallTimeout, NEVER, NEVER, liveTimeout);
    NodeParts parts =
        buffers.parts(limits).with(new Node.ConsoleSettings(ConsoleAccess.LOOPBACK, interval));
    return new NodeFixture(directory, budget, parts);
  }

  @Test
  void aWatcherGetsTheHistoryAndThenViewsThatFollowTheMemory() throws Exception {
    try (NodeFixture fixture = start(NEVER, NEVER, Duration.ofMillis(5));
        RawClient watcher = fixture.raw()) {
      watcher.send(EVENTS);
      assertThat(watcher.readUntil("\r\n\r\n"))
          .contains("text/event-stream")
          .contains("content-security-policy");
      assertThat(watcher.readUntil("\n\n")).contains("event: history").contains("residentBytes");
      ByteBuf held = buffers.allocator().directBuffer(5 << 20);
      watcher.readUntil("\"runs\"");
      String view = watcher.readUntil("\n\n");
      assertThat(view).contains("cells");
      held.release();
    }
  }

  @Test
  void aWatcherThatNeverReadsIsDroppedAndNothingGrows() throws Exception {
    try (NodeFixture fixture = start(Duration.ofMillis(200), NEVER, Duration.ofMillis(1));
        RawClient deaf = new RawClient(fixture.node.address(), 8192)) {
      deaf.send(EVENTS);
      deaf.readUntil("event: view");
      NodeFixture.await(
          "the one who does not read is gone",
          () -> fixture.metric("weir_http_failed_connections_total{reason=\"stalled\"}") >= 1);
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
      assertThat(fixture.node.peakResidentBytes()).isLessThan(NodeFixture.BUDGET_BYTES / 4);
    }
  }

  @Test
  void moreWatchersThanMayAreTurnedAwayUntilOneLeaves() throws Exception {
    try (NodeFixture fixture = start(NEVER, NEVER, Duration.ofMillis(20))) {
      List<RawClient> watchers = new ArrayList<>();
      for (int i = 0; i < Console.MAX_WATCHERS; i++) {
        watchers.add(fixture.raw().send(EVENTS));
        watchers.getLast().readUntil("event: history");
      }
      try (RawClient further = fixture.raw()) {
        RawClient.Response refused = further.send(EVENTS).receive();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("retry-after")).isEqualTo("5");
        assertThat(refused.body()).contains("16 clients").hasLineCount(1);
      }
      watchers.removeFirst().reset();
      NodeFixture.await(
          "room for one more",
          () -> {
            try (RawClient next = fixture.raw()) {
              return next.send(EVENTS).readUntil("\r\n\r\n").startsWith("HTTP/1.1 200");
            }
          });
      for (RawClient watcher : watchers) {
        watcher.readUntil("event: view");
        watcher.close();
      }
      NodeFixture.await("all gone", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
    }
  }

  @Test
  void aWatchEndsAfterAWhileAndWhenTheNodeStops() throws Exception {
    try (NodeFixture fixture = start(NEVER, Duration.ofMillis(50), Duration.ofMillis(5));
        RawClient watcher = fixture.raw()) {
      assertThat(watcher.send(EVENTS).readAll()).endsWith("\r\n0\r\n\r\n");
    }
    NodeFixture stopped = start(NEVER, NEVER, Duration.ofMillis(5));
    try (RawClient watcher = stopped.raw()) {
      watcher.send(EVENTS).readUntil("event: view");
      CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> stop(stopped.node));
      assertThat(watcher.readAll()).endsWith("\r\n0\r\n\r\n");
      assertThat(drained.join()).isTrue();
    }
  }

  private static boolean stop(Node node) {
    try {
      return node.stop(RawClient.PATIENCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"/_weir/snapshot, {, }", "/metrics, '# HELP', '\n'"})
  void aThousandScrapesAtOnceDoNoHarm(String path, String begin, String end) throws Exception {
    String scrape = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (NodeFixture fixture = start(NEVER, NEVER, Duration.ofMillis(20))) {
      assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        clients.add(fixture.raw());
        clients.getLast().send(scrape.repeat(20));
      }
      assertThat(fixture.send("POST", "a", "text/plain", "meanwhile").statusCode()).isEqualTo(204);
      for (RawClient client : clients) {
        for (int i = 0; i < 20; i++) {
          RawClient.Response answer = client.receive();
          assertThat(answer.status()).isEqualTo(200);
          assertThat(answer.body()).startsWith(begin).endsWith(end);
        }
        client.close();
      }
      assertThat(fixture.get("a")).isEqualTo("meanwhile");
      NodeFixture.await("all gone", () -> fixture.openConnections() <= 2);
      fixture.assertNothingLeaked();
    }
  }

  @Test
  void aFullPoolIsSeen() throws Exception {
    try (NodeFixture fixture = start(NEVER, NEVER, Duration.ofMillis(5))) {
      List<ByteBuf> held = new ArrayList<>();
      for (int bytes : new int[] {1 << 20, 64 << 10, 8 << 10}) {
        try {
          while (true) {
            held.add(buffers.allocator().directBuffer(bytes));
          }
        } catch (OutOfMemoryError full) {
          // The next size may fit.
        }
      }
      try (RawClient client = fixture.raw();
          RawClient watcher = fixture.raw()) {
        assertThat(client.send(SNAPSHOT).receive().status()).isEqualTo(200);
        watcher.send(EVENTS).readUntil("event: view");
      }
      held.forEach(ByteBuf::release);
      fixture.assertNothingLeaked();
    }
  }

  @Test
  void theNodeStopsWhileManyScrape() throws Exception {
    NodeFixture fixture = start(NEVER, NEVER, Duration.ofMillis(1));
    List<Thread> scrapers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      scrapers.add(Thread.ofVirtual().start(() -> scrapeToTheEnd(fixture)));
    }
    NodeFixture.await("scrapes", () -> fixture.openConnections() > 4);
    fixture.close();
    for (Thread scraper : scrapers) {
      scraper.join();
    }
    assertThat(fixture.node.liveBufferBytes()).isZero();
  }

  private static void scrapeToTheEnd(NodeFixture fixture) {
    try (RawClient client = fixture.raw()) {
      while (client.send(SNAPSHOT).receive().status() == 200) {
        Thread.onSpinWait();
      }
    } catch (IOException ended) {
      // The node has gone: that is the end of the test.
    }
  }
}
