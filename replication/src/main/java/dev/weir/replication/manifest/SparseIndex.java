package dev.weir.replication.manifest;

import java.util.Arrays;

/**
 * Where in the manifest a byte of the container is: one of {@value #DISTANCE} files is remembered.
 * Filled by one thread, then read by any.
 */
public final class SparseIndex {
  private static final int DISTANCE = 64;

  /**
   * A remembered file.
   *
   * @param file counts the files before it
   * @param offset in the byte space
   * @param manifestPosition for {@link ManifestReader#at}
   * @param chunk counts the chunks of data before it
   */
  public record Place(long file, long offset, long manifestPosition, long chunk) {}

  private long[] offsets = new long[16];
  private long[] positions = new long[16];
  private long[] chunks = new long[16];
  private int count;
  private long files;

  /** Of no file yet. */
  public SparseIndex() {}

  /** Adds the next file. */
  public void add(long offset, long position, long chunk) {
    if (files++ % DISTANCE != 0) {
      return;
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      positions = Arrays.copyOf(positions, 2 * count);
      chunks = Arrays.copyOf(chunks, 2 * count);
    }
    offsets[count] = offset;
    chunks[count] = chunk;
    positions[count++] = position;
  }

  /** The last remembered file that begins at or before an offset. */
  public Place before(long offset) {
    int found = Arrays.binarySearch(offsets, 0, count, offset);
    int index = found >= 0 ? found : -found - 2;
    // Of several files without bytes that begin there, any will do: the reader goes on from it.
    return index < 0
        ? new Place(0, 0, 0, 0)
        : new Place((long) index * DISTANCE, offsets[index], positions[index], chunks[index]);
  }
}
