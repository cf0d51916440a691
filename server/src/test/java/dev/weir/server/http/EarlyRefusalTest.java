package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused for its head is refused before its body is taken. */
class EarlyRefusalTest {
  @TempDir Path directory;

  private static String answer(EmbeddedNode node, EmbeddedChannel channel, String request) {
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    node.run(channel);
    return EmbeddedNode.answer(channel);
  }

  /** Who sends a gigabyte is not told to go on with it first. */
  @Test
  void aLargeBodyIsRefusedBeforeItIsTaken() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("taken", "text/plain", "x");
      assertRefused(node, "POST /v1/stream/missing HTTP/1.1\r\n", "404");
      String fork = "PUT /v1/stream/b HTTP/1.1\r\nStream-Forked-From: /v1/stream/";
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
}
