package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.FaultyDisk;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk without room, as clients see it. */
class FullDiskTest {
  @TempDir Path directory;

  @Test
  void whatIsThereStaysReadableAndAppendsGoOnOnceThereIsRoom() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (NodeFixture fixture = new NodeFixture(directory, disk)) {
      fixture.send("PUT", "a", "text/plain", "before");
      for (String body : new String[] {"small", "z".repeat(1_000_000)}) {
        disk.room(3);
        HttpResponse<String> refused = fixture.send("POST", "a", "text/plain", body);
        assertThat(refused.statusCode()).isEqualTo(507);
        assertThat(refused.body()).contains("full").hasLineCount(1);
        assertThat(fixture.send("PUT", "b", "text/plain", "").statusCode()).isEqualTo(507);
        assertThat(fixture.get("a")).isEqualTo("before");
      }
      disk.room(Long.MAX_VALUE);
      assertThat(fixture.send("POST", "a", "text/plain", ", after").statusCode()).isEqualTo(204);
      assertThat(fixture.get("a")).isEqualTo("before, after");
      fixture.assertNothingLeaked();
    }
    try (NodeFixture fixture = new NodeFixture(directory)) {
      assertThat(fixture.get("a")).isEqualTo("before, after");
    }
  }
}
