package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/** Where a stream's next bytes lie, and whether they may; pure. */
final class SegmentPolicy {
  /** A growing segment is left for a new file at this size, so that files stay easy to handle. */
  private static final long MAX_GROWING_BYTES = 64 << 20;

  private SegmentPolicy() {}

  /** The segment with room for a small body; null when there is none. */
  static @Nullable Segment shared(StreamState state, long bytes) {
    Segment last = state.segments().isEmpty() ? null : state.segments().getLast();
    return last != null
            && last.growing()
            && state.tailOffset() - last.startOffset() + bytes <= MAX_GROWING_BYTES
        ? last
        : null;
  }

  /**
   * Whether a body needs a segment, and the stream has as many as it may; which stays so.
   *
   * @param small whether the body may share a segment
   */
  static boolean refuses(StreamState state, long bytes, boolean small) {
    return bytes > 0
        && state.segments().size() >= StreamState.MAX_SEGMENTS
        && !(small && shared(state, bytes) != null);
  }

  /** Whether a fork would have more segments than a stream may. */
  static boolean refusesFork(StreamState source, long pointOffset, boolean hasBytes) {
    return source.segmentsBefore(pointOffset).size() + (hasBytes ? 1 : 0)
        > StreamState.MAX_SEGMENTS;
  }
}
