package dev.weir.streams.compaction;

import dev.weir.streams.segments.SegmentFooter;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.segments.SegmentReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reads a segment from its beginning to its end, through a window of whole strides, each verified.
 * Ranges that go back are served too, by reading again. For one thread.
 */
final class SegmentCursor {
  private final SegmentReader reader;
  private final MemorySegment window;
  private long windowStart;
  private long windowBytes;

  /**
   * Begins with an empty window.
   *
   * @param windowBytes a multiple of {@link SegmentLayout#STRIDE_BYTES}
   */
  SegmentCursor(SegmentReader reader, long windowBytes) {
    this.reader = reader;
    this.window = Arena.ofAuto().allocate(windowBytes);
  }

  /** Copies a range; blocks. */
  void read(long position, MemorySegment target) throws IOException {
    long copied = 0;
    while (copied < target.byteSize()) {
      long at = position + copied;
      if (at < windowStart || at >= windowStart + windowBytes) {
        fill(at);
      }
      long from = at - windowStart;
      long step = Math.min(windowBytes - from, target.byteSize() - copied);
      MemorySegment.copy(window, from, target, copied, step);
      copied += step;
    }
  }

  private void fill(long position) throws IOException {
    SegmentFooter footer = reader.footer();
    windowBytes = 0;
    windowStart = position - position % SegmentLayout.STRIDE_BYTES;
    long bytes = Math.min(window.byteSize(), footer.dataBytes() - windowStart);
    if (bytes <= 0) {
      throw new IllegalArgumentException(
          "%s has %d bytes, none at %d".formatted(footer.id(), footer.dataBytes(), position));
    }
    reader.readVerified(windowStart, window.asSlice(0, bytes));
    windowBytes = bytes;
  }
}
