package dev.weir.streams.compaction;

import dev.weir.streams.manifest.SegmentEntry;

/** A segment as the policy sees it. */
public record SegmentFacts(SegmentEntry entry, long liveBytes, int liveExtents) {
  /** Whether its extents are so short on average that it is worth merging for that alone. */
  boolean isFine() {
    return liveBytes < liveExtents * CompactionPolicy.COARSE_EXTENT_BYTES;
  }

  boolean isFlushed() {
    return entry.generation() == 0;
  }
}
