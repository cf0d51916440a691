package dev.weir.replication.source;

import java.util.Arrays;

/**
 * Where in the manifest a byte of the container is: one of {@value #DISTANCE} files is remembered.
 * Filled by one thread, then read by any.
 */
final class SparseIndex {
  static final int DISTANCE = 64;

  /** A remembered file. */
  record Place(long file, long offset, long manifestPosition) {}

  private long[] offsets = new long[16];
  private long[] positions = new long[16];
  private int count;
  private long files;

  /** Adds the next file, at an offset of the byte space and a position of the manifest. */
  void add(long offset, long position) {
    if (files++ % DISTANCE != 0) {
      return;
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      positions = Arrays.copyOf(positions, 2 * count);
    }
    offsets[count] = offset;
    positions[count++] = position;
  }

  /** The last remembered file that begins at or before an offset. */
  Place before(long offset) {
    int found = Arrays.binarySearch(offsets, 0, count, offset);
    int index = found >= 0 ? found : -found - 2;
    // Of several files without bytes that begin there, any will do: the reader goes on from it.
    return index < 0
        ? new Place(0, 0, 0)
        : new Place((long) index * DISTANCE, offsets[index], positions[index]);
  }
}
