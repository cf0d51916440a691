package dev.weir.streams.manifest;

import java.util.List;

/**
 * A compaction wrote a stretch of a stream again. Where the stream is gone by then, nothing
 * changes.
 *
 * @param extents cover the stretch without a gap
 */
public record Replacement(long streamId, int shard, List<PlacedExtent> extents) {
  /** Takes a copy of the list. */
  public Replacement {
    extents = List.copyOf(extents);
    if (extents.isEmpty()) {
      throw new IllegalArgumentException("nothing is replaced");
    }
  }
}
