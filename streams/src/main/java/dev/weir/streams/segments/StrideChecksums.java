package dev.weir.streams.segments;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** CRC32C of each stride, while the bytes pass by in pieces of any size. For one thread. */
final class StrideChecksums {
  private final CRC32C crc = new CRC32C();
  private int[] finished = new int[16];
  private int count;
  private int inStride;

  /** Takes the buffer's remaining bytes. */
  void update(ByteBuffer bytes) {
    int end = bytes.limit();
    while (bytes.position() < end) {
      int step = Math.min(end - bytes.position(), SegmentLayout.STRIDE_BYTES - inStride);
      crc.update(bytes.limit(bytes.position() + step));
      bytes.limit(end);
      inStride += step;
      if (inStride == SegmentLayout.STRIDE_BYTES) {
        endStride();
      }
    }
  }

  /** Ends the last stride, which may be short; returns one checksum for each. */
  int[] finish() {
    if (inStride > 0) {
      endStride();
    }
    return Arrays.copyOf(finished, count);
  }

  private void endStride() {
    if (count == finished.length) {
      finished = Arrays.copyOf(finished, 2 * count);
    }
    finished[count++] = (int) crc.getValue();
    crc.reset();
    inStride = 0;
  }
}
