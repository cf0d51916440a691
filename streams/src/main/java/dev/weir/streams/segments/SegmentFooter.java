package dev.weir.streams.segments;

import java.util.List;

/** What a segment says of its own data. Immutable. */
public final class SegmentFooter {
  private final SegmentId id;
  private final long dataBytes;
  private final int[] checksums;
  private final List<Extent> extents;

  /** Takes the array over. */
  SegmentFooter(SegmentId id, long dataBytes, int[] checksums, List<Extent> extents) {
    this.id = id;
    this.dataBytes = dataBytes;
    this.checksums = checksums;
    this.extents = List.copyOf(extents);
  }

  /** The name that the segment was written under. */
  public SegmentId id() {
    return id;
  }

  /** Bytes of streams, which lie at the beginning. */
  public long dataBytes() {
    return dataBytes;
  }

  /** By stream, then by offset; they cover the data without a gap. */
  public List<Extent> extents() {
    return extents;
  }

  /** The same without extents, of which there may be many. */
  SegmentFooter withoutExtents() {
    return new SegmentFooter(id, dataBytes, checksums, List.of());
  }

  /** How many strides there are; the last one may be short. */
  public int strides() {
    return checksums.length;
  }

  int checksum(int stride) {
    return checksums[stride];
  }

  /** How long a stride is. */
  int strideBytes(int stride) {
    long start = (long) stride * SegmentLayout.STRIDE_BYTES;
    return (int) Math.min(SegmentLayout.STRIDE_BYTES, dataBytes - start);
  }

  /**
   * Checksums of longer chunks, as far as these hold whole strides of data alone.
   *
   * @param chunkBytes a multiple of a stride's length
   */
  public int[] checksumsOf(int chunkBytes) {
    int each = chunkBytes / SegmentLayout.STRIDE_BYTES;
    int[] chunks = new int[Math.toIntExact(dataBytes / chunkBytes)];
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      int crc = checksums[chunk * each];
      for (int stride = 1; stride < each; stride++) {
        crc = StrideCombination.combine(crc, checksums[chunk * each + stride]);
      }
      chunks[chunk] = crc;
    }
    return chunks;
  }
}
