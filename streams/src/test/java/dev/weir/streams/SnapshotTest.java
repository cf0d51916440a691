package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTest {
  /** No header is longer. */
  private static final String LONG = "x".repeat(16 << 10);

  @TempDir Path directory;

  @Test
  void aStreamWithAllSegmentsAndProducersThatItMayHaveFits() throws IOException {
    Map<String, ProducerState> producers = new HashMap<>();
    String id = "%0" + ProducerTag.MAX_ID_BYTES + "d";
    for (int i = 0; i < Stream.MAX_PRODUCERS; i++) {
      producers.put(id.formatted(i), new ProducerState(i, i));
    }
    StreamState state = streamOf(1, StreamState.MAX_SEGMENTS, id.formatted(0));
    Checkpoint.Entry entry = new Checkpoint.Entry(state, producers);
    assertThat(writtenAndRead(List.of(entry))).containsExactly(entry);
  }

  /** As it was possible before there was a limit, and would end checkpoints for all others. */
  @Test
  void aStreamWithMoreSegmentsThanItMayHaveTakesSeveralFrames() throws IOException {
    List<Checkpoint.Entry> entries = new ArrayList<>();
    for (int segments : new int[] {300_000, 1, 0, 2 * StreamState.MAX_SEGMENTS}) {
      entries.add(
          new Checkpoint.Entry(
              streamOf(entries.size() + 1, segments, "p"), Map.of("p", new ProducerState(1, 2))));
    }
    assertThat(writtenAndRead(entries)).isEqualTo(entries);
  }

  private static StreamState streamOf(long streamId, int segments, String producer) {
    return new StreamState(
        streamId,
        "p".repeat(1024),
        StreamConfig.of("text/plain;" + LONG),
        0,
        SegmentedStream.segments(segments),
        segments,
        /* closed= */ true,
        new ProducerTag(producer, 0, 0),
        LONG,
        /* softDeleted= */ false);
  }

  private List<Checkpoint.Entry> writtenAndRead(List<Checkpoint.Entry> entries) throws IOException {
    StoreLayout layout = new StoreLayout(directory);
    Files.createDirectories(layout.journalDirectory());
    LocalDisk disk = new LocalDisk();
    Snapshot.write(disk, layout, 1, 3, entries);
    return Snapshot.read(disk, layout, 1).streams();
  }
}
