package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.SegmentedStream;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client whose bytes need one segment too many is told so, and what to do. */
class SegmentLimitAnswersTest {
  @TempDir Path directory;

  private static String answer(EmbeddedNode node, EmbeddedChannel channel, String request) {
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    node.run(channel);
    return EmbeddedNode.answer(channel);
  }

  @Test
  void anAppendAndAForkAreRefused() throws Exception {
    SegmentedStream.write(directory, "a", 1 << 16);
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      String body = "Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\ny";
      assertThat(answer(node, channel, "POST /v1/stream/a HTTP/1.1\r\n" + body))
          .startsWith("HTTP/1.1 507")
          .contains("has 65536 segments, its limit", "go on in another stream");
      String fork = "PUT /v1/stream/b HTTP/1.1\r\nStream-Forked-From: /v1/stream/a\r\n";
      assertThat(answer(node, channel, fork + body))
          .startsWith("HTTP/1.1 507")
          .contains("more than 65536 segments", "at an earlier offset");
      assertThat(node.store.streamCount()).isOne();
      channel.finishAndReleaseAll();
    }
  }

  /** Who sends a gigabyte is not told to go on with it first. */
  @Test
  void aLargeBodyIsRefusedBeforeItIsTaken() throws Exception {
    SegmentedStream.write(directory, "a", 1 << 16);
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("taken", "text/plain", "x");
      assertRefused(node, "POST /v1/stream/a HTTP/1.1\r\n", "507");
      String fork = "PUT /v1/stream/b HTTP/1.1\r\nStream-Forked-From: /v1/stream/";
      assertRefused(node, fork + "a\r\n", "507");
      assertRefused(node, fork + "missing\r\n", "404");
      assertRefused(node, "PUT /v1/stream/taken HTTP/1.1\r\nStream-TTL: 1\r\n", "409");
      assertRefused(node, "PUT /v1/stream/b HTTP/1.1\r\n", "100");
      assertRefused(node, "PUT /v1/stream/taken HTTP/1.1\r\n", "100");
    }
  }

  private static void assertRefused(EmbeddedNode node, String request, String status)
      throws Exception {
    EmbeddedChannel channel = node.connect();
    String head =
        request
            + "Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000000000\r\n"
            + "Expect: 100-continue\r\n\r\n";
    assertThat(answer(node, channel, head)).startsWith("HTTP/1.1 " + status);
    channel.finishAndReleaseAll();
  }

  @Test
  void aBodyOfUnknownLengthIsRefusedWhereNoneWouldDo() throws Exception {
    SegmentedStream.write(directory, "a", 1 << 16);
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      String chunked =
          "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Transfer-Encoding: chunked\r\n";
      assertThat(answer(node, channel, chunked + "\r\n")).startsWith("HTTP/1.1 507");
      channel.finishAndReleaseAll();
      EmbeddedChannel closing = node.connect();
      String close = chunked + "Stream-Closed: true\r\n\r\n0\r\n\r\n";
      assertThat(answer(node, closing, close)).startsWith("HTTP/1.1 204");
      closing.finishAndReleaseAll();
    }
  }
}
