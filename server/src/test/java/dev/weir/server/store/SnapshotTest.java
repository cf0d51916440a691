package dev.weir.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTest {
  /** No header is longer. */
  private static final String LONG = "x".repeat(16 << 10);

  @TempDir Path directory;

  /** A stream that does not fit would end checkpoints for all of them. */
  @Test
  void aStreamWithAllSegmentsAndProducersThatItMayHaveFits() throws IOException {
    Map<String, ProducerState> producers = new HashMap<>();
    String id = "%0" + ProducerTag.MAX_ID_BYTES + "d";
    for (int i = 0; i < Stream.MAX_PRODUCERS; i++) {
      producers.put(id.formatted(i), new ProducerState(i, i));
    }
    StreamState state =
        new StreamState(
            1,
            "p".repeat(1024),
            StreamConfig.of("text/plain;" + LONG),
            0,
            SegmentedStream.segments(StreamState.MAX_SEGMENTS),
            StreamState.MAX_SEGMENTS,
            /* closed= */ true,
            new ProducerTag(id.formatted(0), 0, 0),
            LONG,
            /* softDeleted= */ false);
    StoreLayout layout = new StoreLayout(directory);
    Files.createDirectories(layout.journalDirectory());
    LocalDisk disk = new LocalDisk();
    Snapshot.write(disk, layout, 1, 3, List.of(new Checkpoint.Entry(state, producers)));
    Checkpoint.Entry read = Snapshot.read(disk, layout, 1).streams().getFirst();
    assertThat(read.state()).isEqualTo(state);
    assertThat(read.producers()).isEqualTo(producers);
  }
}
