package dev.weir.streams;

import java.util.function.Supplier;

/**
 * How much may wait for the object store: bytes, which lie on the disk, and changes, which take the
 * Java heap.
 *
 * @param maxBytes of streams
 * @param flushState why the newest flush is not through, for people
 */
record UnflushedLimits(
    Unflushed unflushed, long maxBytes, int maxChanges, Supplier<String> flushState) {
  /** A change takes some 100 bytes, the lists of its flush included: a fifth of the heap. */
  private static final long HEAP_BYTES_A_CHANGE = 512;

  private static final int LEAST_CHANGES = 10_000;

  /** How many changes may wait in a Java heap of this size. */
  static int changes(long heapBytes) {
    return Math.clamp(heapBytes / HEAP_BYTES_A_CHANGE, LEAST_CHANGES, Integer.MAX_VALUE);
  }

  /**
   * Looks whether bytes of a body may join what waits. Any thread.
   *
   * @throws UnflushedFullException when there is no room for them
   */
  void checkBytes(long moreBytes) throws UnflushedFullException {
    long waitingBytes = unflushed.dataBytes();
    if (moreBytes > 0 && waitingBytes + moreBytes > maxBytes) {
      throw new UnflushedFullException(
          "%,d bytes wait for the object store, and with %,d more it would be over --staging %,d (%s); try again later, or raise --staging"
              .formatted(waitingBytes, moreBytes, maxBytes, flushState.get()));
    }
  }

  /** The same for one more change. For the committer's thread. */
  void checkChanges() throws UnflushedFullException {
    if (unflushed.changes() >= maxChanges) {
      throw new UnflushedFullException(
          "%,d changes wait for the object store, the most that the Java heap has room for (%s); try again later, or start the node with a larger heap"
              .formatted(unflushed.changes(), flushState.get()));
    }
  }
}
