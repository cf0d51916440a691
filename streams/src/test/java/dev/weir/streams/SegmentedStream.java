package dev.weir.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A stream of many segments without as many files: one byte each, all of them the same file's. */
public final class SegmentedStream {
  private static final long FILE_ID = 1;

  private SegmentedStream() {}

  /** Makes a data directory whose only stream has so many segments. */
  public static void write(Path directory, String path, int segments) throws IOException {
    StoreLayout layout = new StoreLayout(directory);
    Files.createDirectories(layout.journalDirectory());
    Files.createDirectories(layout.shardOf(FILE_ID));
    Files.writeString(layout.segment(FILE_ID), "x");
    StreamState state =
        new StreamState(
            2,
            path,
            StreamConfig.of("text/plain"),
            0,
            segments(segments),
            segments,
            /* closed= */ false,
            null,
            null,
            /* softDeleted= */ false);
    Checkpoint.Entry entry = new Checkpoint.Entry(state, Map.of());
    LocalDisk disk = new LocalDisk();
    Journal.create(disk, layout, 1, JournalSeries.newBuffer()).close();
    Snapshot.write(disk, layout, 1, 3, List.of(entry));
  }

  static List<Segment> segments(int count) {
    return IntStream.range(0, count)
        .mapToObj(offset -> new Segment(FILE_ID, offset, /* growing= */ false))
        .toList();
  }
}
