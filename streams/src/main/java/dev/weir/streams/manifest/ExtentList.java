package dev.weir.streams.manifest;

import java.util.Arrays;

/**
 * The extents of a stream, packed: 16 bytes of Java heap each, and 16 for the array. Immutable.
 *
 * <pre>
 * word 2 i       offset of its first byte in the stream
 * word 2 i + 1   whether an append began there (1 bit) | number of the segment (31 bits) | position
 *                in the segment (32 bits)
 * </pre>
 *
 * Extents follow each other without a gap; the last one ends at the stream's tail.
 */
public final class ExtentList {
  /** Of a stream without bytes. */
  public static final ExtentList EMPTY = new ExtentList(new long[0]);

  private static final long POSITION_MASK = (1L << 32) - 1;
  private static final long STARTS_APPEND = 1L << 63;
  private static final int ARRAY_HEADER_BYTES = 16;

  private final long[] words;

  private ExtentList(long[] words) {
    this.words = words;
  }

  /** How many there are. */
  public int size() {
    return words.length / 2;
  }

  /** Where an extent begins in the stream. */
  public long startOffset(int index) {
    return words[2 * index];
  }

  /** The number of its segment in {@link SegmentTable}. */
  public int segment(int index) {
    return (int) ((words[2 * index + 1] & ~STARTS_APPEND) >>> 32);
  }

  /** Where it begins in its segment. */
  public long position(int index) {
    return words[2 * index + 1] & POSITION_MASK;
  }

  /** Whether an append is known to have begun with its first byte. */
  public boolean startsAppend(int index) {
    return words[2 * index + 1] < 0;
  }

  /** How long it is, in a stream of {@code tailOffset} bytes. */
  public long lengthBytes(int index, long tailOffset) {
    long end = index + 1 < size() ? startOffset(index + 1) : tailOffset;
    return end - startOffset(index);
  }

  /** Which extent has the byte at {@code offset}; -1 where it lies before all of them. */
  public int indexOf(long offset) {
    int low = 0;
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (startOffset(middle) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** About what it takes of the Java heap. */
  public long heapBytes() {
    return words.length == 0 ? 0 : ARRAY_HEADER_BYTES + (long) words.length * Long.BYTES;
  }

  /** Builds one; for one thread. */
  static final class Builder {
    private long[] words;
    private int size;

    Builder(int expected) {
      this.words = new long[2 * expected];
    }

    Builder add(long startOffset, int segment, long position, boolean startsAppend) {
      if (2 * size == words.length) {
        words = Arrays.copyOf(words, Math.max(8, 2 * words.length));
      }
      words[2 * size] = startOffset;
      words[2 * size + 1] = (startsAppend ? STARTS_APPEND : 0) | (long) segment << 32 | position;
      size++;
      return this;
    }

    /** Adds some of another list. */
    Builder addAll(ExtentList other, int from, int to) {
      for (int i = from; i < to; i++) {
        add(other.startOffset(i), other.segment(i), other.position(i), other.startsAppend(i));
      }
      return this;
    }

    ExtentList build() {
      if (size == 0) {
        return EMPTY;
      }
      return new ExtentList(words.length == 2 * size ? words : Arrays.copyOf(words, 2 * size));
    }
  }
}
