package dev.weir.memory.heap;

/**
 * How much free memory each size class of a heap has used of late, in rounds: so much is worth
 * keeping, because the next rounds will probably use it again. The heap only.
 */
final class RecentUse {
  /**
   * Each round forgets an eighth of what was used before it. One round alone says little: in its
   * course most of the classes in use come to one slab or to none.
   */
  private static final int FORGOTTEN_SHIFT = 3;

  private final long[] usedBytes = new long[SizeClasses.COUNT];
  private final long[] quotaBytes = new long[SizeClasses.COUNT];

  /** A class begins to use up so many bytes of free slots. */
  void use(int sizeClass, long bytes) {
    usedBytes[sizeClass] += bytes;
  }

  /** Begins a round: what the last ones used may be kept. */
  void nextRound() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      long used = usedBytes[sizeClass];
      quotaBytes[sizeClass] = used;
      usedBytes[sizeClass] = used - (used >> FORGOTTEN_SHIFT);
    }
  }

  /** Whether so many free bytes of a class are worth keeping beside those kept in this round. */
  boolean keeps(int sizeClass, long bytes) {
    if (quotaBytes[sizeClass] < bytes) {
      return false;
    }
    quotaBytes[sizeClass] -= bytes;
    return true;
  }
}
