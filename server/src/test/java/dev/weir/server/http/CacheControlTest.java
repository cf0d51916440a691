package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.StreamConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cache keeps of a stream does not outlast it. */
class CacheControlTest {
  private static final long NOW = 1_000_000;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-1 | -1 | public, max-age=60, stale-while-revalidate=300",
        "31536000000 | -1 | public, max-age=60, stale-while-revalidate=300",
        "100 | -1 | public, max-age=60, stale-while-revalidate=40",
        "60 | -1 | public, max-age=60",
        "5 | -1 | public, max-age=5",
        "0 | -1 | no-cache",
        "-1 | 1061999 | public, max-age=60, stale-while-revalidate=1",
        "-1 | 1005999 | public, max-age=5",
        "-1 | 1000999 | no-cache",
        "-1 | 0 | no-cache",
        "3 | 1005000 | public, max-age=3",
      })
  void nothingIsKeptForLongerThanTheStreamHasLeft(long ttl, long expiresAt, String expected) {
    StreamConfig config = new StreamConfig("text/plain", ttl, null, expiresAt, null);
    assertThat(CacheControl.ofRead(config, NOW)).isEqualTo(expected);
  }

  @Test
  void aReadSaysSo() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      assertThat(answer(node, channel, "PUT", "Stream-TTL: 7\r\nContent-Length: 1\r\n", "x"))
          .startsWith("HTTP/1.1 201");
      assertThat(answer(node, channel, "GET", "", "")).contains("cache-control: public, max-age=7");
      channel.finishAndReleaseAll();
    }
  }

  private static String answer(
      EmbeddedNode node, EmbeddedChannel channel, String method, String headers, String body) {
    String request =
        method + " /v1/stream/a HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body;
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    node.run(channel);
    return EmbeddedNode.answer(channel);
  }
}
