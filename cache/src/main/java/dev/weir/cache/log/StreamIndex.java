package dev.weir.cache.log;

import java.util.Arrays;

/**
 * Where the batches of one stream lie: positions in the order of their offsets, in a ring. A batch
 * costs 8 bytes of Java heap, with what the ring has free at most 16, beyond the first few.
 *
 * <p>Under the cache's lock.
 */
final class StreamIndex {
  private static final int FIRST_CAPACITY = 4;

  /** Of the object, its ring's header, and its entry in the map of streams, about. */
  private static final int FIXED_BYTES = 128;

  private long[] ring = new long[FIRST_CAPACITY];
  private int head;
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** About what it takes of the Java heap. */
  long heapBytes() {
    return FIXED_BYTES + (long) ring.length * Long.BYTES;
  }

  long get(int index) {
    return ring[slot(index)];
  }

  void set(int index, long position) {
    ring[slot(index)] = position;
  }

  long last() {
    return get(size - 1);
  }

  void addLast(long position) {
    if (size == ring.length) {
      resize(size + size / 2);
    }
    ring[slot(size)] = position;
    size++;
  }

  void removeFirst() {
    head = head + 1 == ring.length ? 0 : head + 1;
    size--;
    shrink();
  }

  void removeLast() {
    size--;
    shrink();
  }

  private void shrink() {
    if (ring.length > FIRST_CAPACITY && size < ring.length / 2) {
      resize(Math.max(FIRST_CAPACITY, size + size / 4));
    }
  }

  private void resize(int capacity) {
    long[] larger = new long[capacity];
    int untilEnd = Math.min(size, ring.length - head);
    System.arraycopy(ring, head, larger, 0, untilEnd);
    System.arraycopy(ring, 0, larger, untilEnd, size - untilEnd);
    ring = larger;
    head = 0;
  }

  private int slot(int index) {
    int at = head + index;
    return at >= ring.length ? at - ring.length : at;
  }

  @Override
  public String toString() {
    long[] positions = new long[size];
    Arrays.setAll(positions, this::get);
    return Arrays.toString(positions);
  }
}
