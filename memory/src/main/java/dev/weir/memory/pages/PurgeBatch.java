package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;

/**
 * Claims that are purged together: taken under one hold of the page heap's lock, given back to the
 * operating system without it, settled under another. Used once, by one thread.
 */
final class PurgeBatch {
  /**
   * 16 claims: about a microsecond under the lock, where a claim for itself would take the lock
   * from those who allocate as often as they need it.
   */
  private static final int MAX_CLAIMS = 16;

  /** 8 MiB: a millisecond of system calls, for which a thread at the limit may have to wait. */
  private static final long MAX_BYTES = 8L << 20;

  private final PurgeClaim[] claims = new PurgeClaim[MAX_CLAIMS];
  private int count;
  private int purged;
  private long bytes;

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count == MAX_CLAIMS || bytes >= MAX_BYTES;
  }

  /** The resident bytes of its claims. */
  long bytes() {
    return bytes;
  }

  void add(PurgeClaim claim) {
    claims[count++] = claim;
    bytes += claim.residentBytes();
  }

  /** Gives all of it back, or as much as it can until a call fails. */
  void purge(NativeMemory os) {
    for (; purged < count; purged++) {
      os.purge(claims[purged].address(), claims[purged].lengthBytes());
    }
  }

  /** Puts the claims back: clean, as far as they were purged, and dirty behind that. */
  void settle(PageState state) {
    OutOfMemoryError javaHeapFull = null;
    for (int i = 0; i < count; i++) {
      try {
        state.settle(claims[i], i < purged);
      } catch (OutOfMemoryError e) {
        javaHeapFull = e; // The others must be settled all the same.
      }
    }
    if (javaHeapFull != null) {
      throw javaHeapFull;
    }
  }
}
