package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.AppendRequest;
import dev.weir.streams.Payload;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Caches rely on it that cursors do not go back, also within one answer. */
class EventCursorsTest {
  private static final Pattern CURSOR = Pattern.compile("\"streamCursor\":\"(\\d+)\"");

  /** Beyond what the clock says for some centuries: each answer to it is drawn by lot. */
  private static final long ECHOED = 1_000_000_000;

  private static final int EVENTS = 30;

  @TempDir Path directory;

  @Test
  void cursorsOfEventsDoNotGoBack() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("a", "text/plain", "x");
      EmbeddedChannel channel = node.connect();
      String request =
          "GET /v1/stream/a?offset=-1&live=sse&cursor="
              + ECHOED
              + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
      node.run(channel);
      for (int i = 1; i < EVENTS; i++) {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {'x'});
        node.store
            .append(
                new AppendRequest("a", "text/plain", false, null, null),
                new Payload.Inline(bytes, () -> {}))
            .join();
        node.run(channel);
      }
      String events = new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII);
      List<Long> cursors =
          CURSOR.matcher(events).results().map(cursor -> Long.valueOf(cursor.group(1))).toList();
      assertThat(cursors).hasSize(EVENTS).isSorted();
      assertThat(cursors.getFirst()).isGreaterThan(ECHOED);
      channel.finishAndReleaseAll();
    }
  }
}
