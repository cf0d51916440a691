/**
 * Compaction: extents of many segments are written again, sorted by stream, into fewer.
 *
 * <p>{@code CompactionPolicy} says which segments, {@code Merge} writes them, {@code Compactor}
 * brings the two together.
 */
@NullMarked
package dev.weir.streams.compaction;

import org.jspecify.annotations.NullMarked;
