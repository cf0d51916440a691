package dev.weir.streams.manifest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All streams of a shard, as its stored manifest has them.
 *
 * @param sequence the newest commit that it folds
 * @param epoch of the owner that wrote it
 * @param segments those that the extents lie in
 */
public record Manifest(
    int shard, long sequence, long epoch, List<SegmentEntry> segments, List<Entry> streams) {
  /** Takes copies of the lists. */
  public Manifest {
    segments = List.copyOf(segments);
    streams = List.copyOf(streams);
  }

  /** One stream; extents of a fork begin at its point. */
  public record Entry(
      StreamHeader header,
      List<PlacedExtent> extents,
      long tailOffset,
      boolean closed,
      @Nullable Producer closedBy,
      @Nullable String lastSequence,
      boolean softDeleted,
      List<Producer> producers) {
    /** Takes copies of the lists. */
    public Entry {
      extents = List.copyOf(extents);
      producers = List.copyOf(producers);
    }
  }
}
