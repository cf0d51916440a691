package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever takes an answer for longer than a stream may be idle uses the stream all the while. */
class SlowReadsOfIdleStreamsTest {
  private static final int TTL_SECONDS = 5;

  @TempDir Path directory;

  private static EmbeddedChannel read(EmbeddedNode node, String live) throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[250_000]);
    CreateRequest stream =
        new CreateRequest(
            "a", "text/plain", TTL_SECONDS, null, StreamConfig.NONE, /* closed= */ true, null);
    node.store.create(stream, new Payload.Inline(bytes, () -> {})).join();
    EmbeddedChannel channel = node.connect();
    String request = "GET /v1/stream/a?offset=-1" + live + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    channel.runPendingTasks();
    return channel;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&live=sse"})
  void aStreamDoesNotExpireWhileItIsRead(String live) throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = read(node, live);
      int pieces = 0;
      for (Runnable piece = node.io.poll(); piece != null; piece = node.io.poll()) {
        pieces++;
        node.nowMillis.addAndGet(Duration.ofSeconds(TTL_SECONDS - 1).toMillis());
        piece.run();
        channel.runPendingTasks();
        assertThat(node.store.find("a")).as("piece %d", pieces).isNotNull();
      }
      assertThat(pieces).isGreaterThan(3);
      node.nowMillis.addAndGet(Duration.ofSeconds(TTL_SECONDS).toMillis());
      assertThat(node.store.find("a")).isNull();
      channel.finishAndReleaseAll();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&live=sse"})
  void whatHasExpiredDoesNotComeBackWithTheNextPiece(String live) throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = read(node, live);
      node.io.remove().run();
      channel.runPendingTasks();
      node.nowMillis.addAndGet(Duration.ofSeconds(TTL_SECONDS + 1).toMillis());
      assertThat(node.store.find("a")).isNull();
      node.io.remove().run();
      channel.runPendingTasks();
      assertThat(node.store.find("a")).isNull();
      for (Runnable piece = node.io.poll(); piece != null; piece = node.io.poll()) {
        piece.run();
        channel.runPendingTasks();
      }
      channel.finishAndReleaseAll();
    }
  }
}
