package dev.weir.streams.manifest;

/**
 * A stretch of a stream, and where it lies.
 *
 * @param segment index into the segments of the commit
 * @param position of its first byte in the segment
 * @param startOffset of its first byte in the stream
 * @param lengthBytes at least 1
 */
public record PlacedExtent(int segment, long position, long startOffset, long lengthBytes) {
  /** The offset behind its last byte. */
  public long endOffset() {
    return startOffset + lengthBytes;
  }
}
