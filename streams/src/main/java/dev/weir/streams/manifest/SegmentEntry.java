package dev.weir.streams.manifest;

import dev.weir.streams.segments.SegmentId;

/**
 * A segment as commits and manifests name it.
 *
 * @param dataBytes without footer and trailer
 * @param generation 0 as flushed; 1 more than the highest of what was merged into it
 * @param createdMillis since 1970, by the clock of the node that wrote it
 */
public record SegmentEntry(SegmentId id, long dataBytes, int generation, long createdMillis) {}
