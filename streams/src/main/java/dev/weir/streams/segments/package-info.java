/**
 * Segments: objects with bytes of many streams. Nothing here knows which streams there are.
 *
 * <p>{@code SegmentLayout} has the drawing, {@code SegmentWriter} and {@code SegmentReader} are the
 * two ends.
 */
@NullMarked
package dev.weir.streams.segments;

import org.jspecify.annotations.NullMarked;
