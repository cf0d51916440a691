package dev.weir.memory.os;

/**
 * A few ranges of one reservation that are purged together. Used by one thread.
 *
 * <p>{@link NativeMemory#purge(PurgeRanges)} goes from the first to the last and counts how many it
 * has given back, so that its caller knows which are clean when it fails in between.
 */
public final class PurgeRanges {
  /** The most ranges that it holds: enough that what a call costs by itself hardly shows. */
  public static final int CAPACITY = 16;

  private final long[] addresses = new long[CAPACITY];
  private final long[] lengths = new long[CAPACITY];
  private int count;
  private int purged;

  /** Adds a range behind the others. It must not be full. */
  public void add(long address, long bytes) {
    addresses[count] = address;
    lengths[count] = bytes;
    count++;
  }

  /** How many ranges there are. */
  public int count() {
    return count;
  }

  /** Whether there is no room for another range. */
  public boolean isFull() {
    return count == CAPACITY;
  }

  /** Where a range begins. */
  public long address(int range) {
    return addresses[range];
  }

  /** How long a range is, in bytes. */
  public long bytes(int range) {
    return lengths[range];
  }

  /** How many ranges, from the first on, have been given back. */
  public int purged() {
    return purged;
  }

  /** One more range has been given back. */
  void purgedNext() {
    purged++;
  }

  /** Forgets all of them. */
  public void clear() {
    count = 0;
    purged = 0;
  }
}
