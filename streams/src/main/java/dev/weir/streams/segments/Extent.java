package dev.weir.streams.segments;

/**
 * A stretch of one stream in one segment.
 *
 * @param startOffset of its first byte in the stream
 * @param position of its first byte in the segment
 * @param lengthBytes at least 1
 */
public record Extent(long streamId, long startOffset, long position, long lengthBytes) {
  /** The offset behind its last byte. */
  public long endOffset() {
    return startOffset + lengthBytes;
  }

  /** Whether {@code next} goes on where this ends, in the stream and in the segment. */
  boolean isContinuedBy(long nextStreamId, long nextStartOffset, long nextPosition) {
    return streamId == nextStreamId
        && endOffset() == nextStartOffset
        && position + lengthBytes == nextPosition;
  }
}
