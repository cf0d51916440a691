package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.store.SegmentedStream;
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
      String body = "Host: x\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\ny";
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
}
