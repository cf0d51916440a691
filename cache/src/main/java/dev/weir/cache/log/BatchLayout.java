package dev.weir.cache.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A record batch in the memory of the cache: what describes it lies in front of its bytes, and
 * costs no Java heap.
 *
 * <pre>
 *    0        8              16         24      28
 *   | stream | base offset  | sequence | count | bytes …
 * </pre>
 */
final class BatchLayout {
  static final int HEADER_BYTES = 28;

  static final int STREAM = 0;
  static final int BASE = 8;
  static final int SEQUENCE = 16;
  static final int COUNT = 24;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private BatchLayout() {}

  static void write(
      MemorySegment block,
      long stream,
      long baseOffset,
      long sequence,
      int count,
      MemorySegment bytes) {
    block.set(LONG, STREAM, stream);
    block.set(LONG, BASE, baseOffset);
    block.set(LONG, SEQUENCE, sequence);
    block.set(INT, COUNT, count);
    MemorySegment.copy(bytes, 0, block, HEADER_BYTES, bytes.byteSize());
  }
}
