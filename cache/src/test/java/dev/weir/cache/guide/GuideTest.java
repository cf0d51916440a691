package dev.weir.cache.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the guide does what the guide says, and is the one that is printed there. */
class GuideTest {
  @TempDir private Path folder;

  @Test
  void theExampleServesItsTail() throws IOException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(256 << 20));
        FileChannel file =
            FileChannel.open(
                folder.resolve("events"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Tail tail = new Tail(pool, file)) {
      for (int i = 0; i < 2_000; i++) {
        byte[] event = ("event " + i + " ").repeat(5_000).getBytes(StandardCharsets.UTF_8);
        tail.append(i % 2, i / 2, event);
      }
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      assertThat(tail.send(0, 995, Channels.newChannel(received))).isEqualTo(1_000);
      assertThat(received.toString(StandardCharsets.UTF_8))
          .startsWith("event 1990 ")
          .endsWith("event 1998 ");
      assertThat(tail.send(7, 3, Channels.newChannel(received))).isEqualTo(3);
    }
  }

  @Test
  void theGuidePrintsTheExample() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    String source =
        Files.readString(root.resolve("cache/src/test/java/dev/weir/cache/guide/Tail.java"));

    assertThat(Files.readString(root.resolve("docs/guide/cache.md")))
        .contains(source.substring(source.indexOf("/** Events of many topics")));
  }
}
