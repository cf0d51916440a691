package dev.weir.streams.compaction;

import dev.weir.streams.manifest.SegmentEntry;

/**
 * A segment as the policy sees it.
 *
 * @param isFine whether its extents are so short on average that it is worth merging for that alone
 */
public record SegmentFacts(SegmentEntry entry, long liveBytes, boolean isFine) {
  boolean isFlushed() {
    return entry.generation() == 0;
  }
}
