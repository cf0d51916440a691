package dev.weir.cache.seq;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How blocks lie in a chunk.
 *
 * <pre>
 *   | length | block ……… | padding | length | block ……… |
 *     4 bytes              to the next place whose block is aligned
 * </pre>
 *
 * <p>The length of a block that was freed is stored as its complement, so it is negative. A chunk
 * can be walked from its beginning.
 */
final class SeqLayout {
  static final int HEADER_BYTES = Integer.BYTES;

  private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED;

  private SeqLayout() {}

  /** Where the first header lies, so that the block behind it is aligned. */
  static int firstOffset(int alignment) {
    return alignment > HEADER_BYTES ? alignment - HEADER_BYTES : 0;
  }

  /** What a block takes: its header, itself, and padding. A long: it may be more than a chunk. */
  static long spanBytes(long bytes, int alignment) {
    return (HEADER_BYTES + bytes + alignment - 1) & -alignment;
  }

  static void setLive(MemorySegment memory, long blockOffset, int bytes) {
    memory.set(LENGTH, blockOffset - HEADER_BYTES, bytes);
  }

  static void setDead(MemorySegment memory, long blockOffset) {
    memory.set(LENGTH, blockOffset - HEADER_BYTES, ~length(memory, blockOffset));
  }

  static boolean isLive(MemorySegment memory, long blockOffset) {
    return memory.get(LENGTH, blockOffset - HEADER_BYTES) >= 0;
  }

  /** Of a block, live or dead. */
  static int length(MemorySegment memory, long blockOffset) {
    int stored = memory.get(LENGTH, blockOffset - HEADER_BYTES);
    return stored < 0 ? ~stored : stored;
  }
}
