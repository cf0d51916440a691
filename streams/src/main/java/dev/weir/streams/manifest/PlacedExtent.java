package dev.weir.streams.manifest;

/**
 * A stretch of a stream, and where it lies.
 *
 * @param segment index into the segments of the commit
 * @param position of its first byte in the segment
 * @param startOffset of its first byte in the stream
 * @param lengthBytes at least 1
 * @param startsAppend whether an append is known to have begun with its first byte
 */
public record PlacedExtent(
    int segment, long position, long startOffset, long lengthBytes, boolean startsAppend) {
  /** The offset behind its last byte. */
  public long endOffset() {
    return startOffset + lengthBytes;
  }
}
