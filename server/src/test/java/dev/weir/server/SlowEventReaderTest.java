package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader of events that takes none for a while. */
class SlowEventReaderTest {
  private static final int EVENTS = 500;
  private static final String TEXT = "x".repeat(8000);

  @TempDir Path directory;

  /** The node queues no more for it than for any other: the rest waits in the stream. */
  @Test
  void keepsItsConnectionAndGetsAllThatCameMeanwhile() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory);
        RawClient reader = fixture.raw(16 << 10)) {
      assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
      reader.send("GET /v1/stream/a?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      reader.readUntil("upToDate");

      for (int i = 0; i < EVENTS; i++) {
        assertThat(fixture.send("POST", "a", "text/plain", TEXT).statusCode()).isEqualTo(204);
      }

      long all = (long) EVENTS * TEXT.length();
      assertThat(reader.skip(all)).isGreaterThanOrEqualTo(all);
    }
  }
}
