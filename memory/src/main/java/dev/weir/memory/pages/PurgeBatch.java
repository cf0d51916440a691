package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.PurgeRanges;

/**
 * Claims that are purged together: taken under one hold of the page heap's lock, given back to the
 * operating system without it, settled under another. Used once, by one thread.
 */
final class PurgeBatch {
  /**
   * 16 claims: about a microsecond under the lock, where a claim for itself would take the lock
   * from those who allocate as often as they need it.
   */
  private static final int MAX_CLAIMS = PurgeRanges.CAPACITY;

  /** 2 MiB: some 200 us of system calls, for which a thread at the limit may have to wait. */
  private static final long MAX_BYTES = 2L << 20;

  /**
   * How many short stretches of dirty pages it passes over in search of longer ones: about a
   * microsecond under the lock, for the whole batch.
   */
  private static final int MAX_PASSED = 16;

  private final PurgeClaim[] claims = new PurgeClaim[MAX_CLAIMS];
  private final PurgeRanges ranges = new PurgeRanges();
  private int count;
  private int passed;
  private long bytes;
  private long nanos = Long.MAX_VALUE;

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

  /** Whether one more short stretch may be passed over. */
  boolean mayPass() {
    return ++passed <= MAX_PASSED;
  }

  void add(PurgeClaim claim) {
    claims[count++] = claim;
    bytes += claim.residentBytes();
  }

  /** Gives all of it back, or as much as it can until a call fails. */
  void purge(NativeMemory os) {
    for (int i = 0; i < count; i++) {
      ranges.add(claims[i].address(), claims[i].lengthBytes());
    }
    long begun = System.nanoTime();
    os.purge(ranges);
    nanos = System.nanoTime() - begun;
  }

  /** Puts the claims back: clean, as far as they were purged, and dirty behind that. */
  void settle(PageState state) {
    for (int i = 0; i < count; i++) {
      state.claims().settle(claims[i], i < ranges.purged());
    }
    state.dirtyLimits().purgeTook(nanos);
  }
}
