package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.Spool;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who deletes what others read ends their answers, which is no defect of the node. */
class DeletedWhileReadTest {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  @TempDir Path directory;

  /** More than a chunk, in a file of its own. */
  private static void append(EmbeddedNode node) throws IOException {
    Spool spool = node.store.spool();
    spool.write(ByteBuffer.allocate(100_000));
    AppendRequest request = new AppendRequest("a", "text/plain", false, null, null);
    node.store.append(request, spool.finish()).join();
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("spool"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @FunctionalInterface
  private interface Loss {
    void happen(EmbeddedNode node, List<Path> segments) throws Exception;
  }

  private String failuresOfAReadWith(Loss loss, String live) throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
      append(node);
      append(node);
      EmbeddedChannel channel = node.connect();
      String request = "GET /v1/stream/a?offset=-1" + live + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
      channel.runPendingTasks();
      node.io.remove().run();
      channel.runPendingTasks();
      loss.happen(node, segments());
      node.run(channel);
      assertThat(channel.isOpen()).isFalse();
      channel.finishAndReleaseAll();
      return node.services.metrics().scrape();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&live=sse"})
  void anAnswerWhoseRestIsDeletedIsCountedAsLost(String live) throws Exception {
    Loss deletion =
        (node, segments) -> {
          node.store.delete("a").join();
          long deadline = System.nanoTime() + PATIENCE_NANOS;
          while (segments.stream().anyMatch(Files::exists) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
          }
          assertThat(segments).noneMatch(Files::exists);
        };
    assertThat(failuresOfAReadWith(deletion, live))
        .contains("weir_http_failed_connections_total{reason=\"peer\"} 1.0")
        .doesNotContain("weir_http_failed_connections_total{reason=\"error\"} 1.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&live=sse"})
  void anAnswerWhoseRestIsMissingIsADefect(String live) throws Exception {
    Loss damage =
        (node, segments) -> {
          for (Path segment : segments) {
            Files.delete(segment);
          }
        };
    assertThat(failuresOfAReadWith(damage, live))
        .contains("weir_http_failed_connections_total{reason=\"error\"} 1.0")
        .doesNotContain("weir_http_failed_connections_total{reason=\"peer\"} 1.0");
  }
}
