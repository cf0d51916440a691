package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.FaultyDisk;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens to a node over and over is one line in its log. */
@Timeout(120)
class LoggedConditionsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final int PLACES = 16;

  /** Less than a write of the journal needs. */
  private static final long NO_ROOM_BYTES = 3;

  private static final int FRAMES = 3_000;
  private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";

  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private final Logger logger = Logger.getLogger("dev.weir.server");
  private final Lines lines = new Lines();
  private NodeFixture fixture;

  private static final class Lines extends Handler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void publish(LogRecord message) {
      lines.add(new SimpleFormatter().formatMessage(message));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}

    List<String> with(String text) {
      return lines.stream().filter(line -> line.contains(text)).toList();
    }
  }

  @BeforeEach
  void start() throws IOException {
    logger.addHandler(lines);
    HttpLimits limits = new HttpLimits(PLACES, 1 << 30, 8 << 20, NEVER, NEVER, NEVER, NEVER, NEVER);
    fixture =
        new NodeFixture(
            directory, NodeFixture.BUDGET_BYTES, new NodeParts(disk, Transport.best(), limits));
  }

  @AfterEach
  void stop() throws IOException {
    fixture.close();
    logger.removeHandler(lines);
  }

  @Test
  void recoveryIsToldOfWhenItBeginsAndWhenItEnds() {
    assertThat(lines.with("recovery"))
        .satisfiesExactly(
            begins -> assertThat(begins).contains("begins").contains(directory.toString()),
            ends -> assertThat(ends).contains("ends: 0 streams"));
  }

  @Test
  void clientsWithoutAPlaceAreOneLine() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      clients.add(fixture.raw());
      clients.getLast().send("GET /" + HOST + "\r\n");
      assertThat(clients.getLast().receive().status()).isEqualTo(200);
    }
    assertThat(lines.with("as many clients")).isEmpty();
    for (int i = 0; i < PLACES; i++) {
      try (RawClient further = fixture.raw()) {
        further.send("GET /" + HOST + "\r\n");
        assertThat(further.receive().status()).isEqualTo(503);
      }
    }
    assertThat(lines.with("as many clients")).hasSize(1);
    for (RawClient client : clients) {
      client.close();
    }
  }

  @Test
  void appendsWithoutRoomOnTheDiskAreOneLine() throws Exception {
    try (RawClient client = fixture.raw()) {
      assertThat(sent(client, "PUT", "")).isEqualTo(201);
      disk.room(NO_ROOM_BYTES);
      for (int i = 0; i < 10; i++) {
        assertThat(sent(client, "POST", "some text")).isEqualTo(507);
      }
      assertThat(lines.with("the disk is full")).hasSize(1);
      disk.room(Long.MAX_VALUE);
    }
  }

  private static int sent(RawClient client, String method, String text) throws IOException {
    String head = "%s /v1/stream/a%sContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n";
    client.send(head.formatted(method, HOST, text.length()) + text);
    return client.receive().status();
  }

  @Test
  void floodsAreOneLineThatNamesTheFirst() throws Exception {
    int first = flood();
    flood();
    NodeFixture.await("a line", () -> !lines.with("a flood was cut off").isEmpty());
    assertThat(lines.with("a flood was cut off"))
        .singleElement()
        .asString()
        .contains("127.0.0.1:" + first)
        .contains("control frames");
  }

  /** Sends pings until the node has had enough; the port tells who it was. */
  private int flood() throws IOException {
    try (Http2Client client = fixture.http2()) {
      try {
        for (int i = 0; i < FRAMES; i++) {
          client.send(Http2FrameTypes.PING, 0, 0, new byte[8]);
        }
      } catch (SocketException ended) {
        // By the frames before.
      }
      client.awaitEnd();
      return client.localPort();
    }
  }
}
