package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Sockets;
import dev.weir.server.http.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeTest {
  private static final int UPLOAD_BYTES = 100_000_000;

  @TempDir Path directory;

  @Test
  void aBodyLargerThanTheBudgetComesBackAsItWas() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory)) {
      fixture.send("PUT", "big", "application/octet-stream", "");
      MessageDigest sent = MessageDigest.getInstance("SHA-256");
      HttpRequest upload =
          HttpRequest.newBuilder(fixture.uri("/v1/stream/big"))
              .header("Content-Type", "application/octet-stream")
              .POST(
                  HttpRequest.BodyPublishers.ofInputStream(
                      () -> new DigestInputStream(new RandomBytes(UPLOAD_BYTES), sent)))
              .build();
      assertThat(fixture.http.send(upload, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(204);
      MessageDigest received = MessageDigest.getInstance("SHA-256");
      HttpResponse<InputStream> download =
          fixture.http.send(
              HttpRequest.newBuilder(fixture.uri("/v1/stream/big")).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = new DigestInputStream(download.body(), received)) {
        assertThat(in.transferTo(OutputStream.nullOutputStream())).isEqualTo(UPLOAD_BYTES);
      }
      assertThat(HexFormat.of().formatHex(received.digest()))
          .isEqualTo(HexFormat.of().formatHex(sent.digest()));
      fixture.assertNothingLeaked();
      assertThat(fixture.node.peakResidentBytes()).isLessThan(NodeFixture.BUDGET_BYTES / 4);
    }
  }

  @Test
  void connectionsAreServedByAsManyEventLoopsAsAreWanted() throws Exception {
    int loops = 3;
    Set<Thread> before = eventLoops();
    NodeParts parts =
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES).over(new Sockets(Transport.best(), loops, 0));
    try (NodeFixture fixture = new NodeFixture(directory, NodeFixture.BUDGET_BYTES, parts)) {
      for (int i = 0; i < 3 * loops; i++) {
        try (RawClient client = fixture.raw()) {
          client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
          assertThat(client.receive().status()).isEqualTo(200);
        }
      }
      Set<Thread> after = eventLoops();
      after.removeAll(before);
      assertThat(after).hasSize(loops);
    }
  }

  private static Set<Thread> eventLoops() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("multiThreadIoEventLoopGroup"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Seeded bytes without holding them. */
  private static final class RandomBytes extends InputStream {
    private final Random random = new Random(7);
    private long left;

    RandomBytes(long bytes) {
      left = bytes;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (left == 0) {
        return -1;
      }
      byte[] bytes = new byte[(int) Math.min(Math.min(left, length), 8192)];
      random.nextBytes(bytes);
      System.arraycopy(bytes, 0, target, offset, bytes.length);
      left -= bytes.length;
      return bytes.length;
    }
  }

  @Test
  void jsonIsFlattenedAndComesBackAsAnArrayAndAsEvents() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory)) {
      fixture.send("PUT", "j", "application/json", "");
      assertThat(fixture.get("j")).isEqualTo("[]");
      assertThat(fixture.send("POST", "j", "application/json", "[{\"a\":1}, [2]]").statusCode())
          .isEqualTo(204);
      assertThat(fixture.send("POST", "j", "application/json", " \"x\\ny\" ").statusCode())
          .isEqualTo(204);
      assertThat(fixture.send("POST", "j", "application/json", "[]").statusCode()).isEqualTo(400);
      assertThat(fixture.send("POST", "j", "application/json", "{").statusCode()).isEqualTo(400);
      assertThat(fixture.get("j")).isEqualTo("[{\"a\":1},[2],\"x\\ny\"]");
      try (RawClient client = fixture.raw()) {
        client.send("GET /v1/stream/j?offset=-1&live=sse HTTP/1.0\r\n\r\n");
        String first = client.readUntil("upToDate");
        assertThat(first).contains("data:[{\"a\":1},[2],\"x\\ny\"]\n\n");
        fixture.send("POST", "j", "application/json", "3");
        assertThat(client.readUntil("upToDate")).contains("data:[3]\n\n");
      }
      fixture.assertNothingLeaked();
    }
  }

  @Test
  void aStoppedNodeEndsItsLiveReadersAndExitsWithZero() throws Exception {
    try (NodeProcess node = new NodeProcess(directory);
        RawClient poll = new RawClient(node.address());
        RawClient upload = new RawClient(node.address())) {
      upload.send(
          "PUT /v1/stream/a HTTP/1.1\r\n"
              + "Host: localhost\r\n"
              + "Content-Type: text/plain\r\n"
              + "Content-Length: 0\r\n\r\n");
      assertThat(upload.receive().status()).isEqualTo(201);
      upload.send(
          "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
      assertThat(upload.readUntil("\r\n\r\n")).contains("100");
      poll.send("GET /v1/stream/a?offset=now&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      poll.readUntil("upToDate");

      node.terminate();
      poll.readUntil("\r\n0\r\n\r\n");
      upload.send("hello");
      assertThat(upload.receive().status()).isEqualTo(204);

      assertThat(node.process.waitFor()).isZero();
      assertThat(node.output()).contains("everything acknowledged is on the disk");
    }
    try (NodeFixture fixture = new NodeFixture(directory)) {
      assertThat(fixture.get("a")).isEqualTo("hello");
    }
  }
}
