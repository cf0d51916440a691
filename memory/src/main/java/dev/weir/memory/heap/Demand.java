package dev.weir.memory.heap;

import java.util.Arrays;

/**
 * How much free memory each size class of a heap has used of late, in rounds: so much is worth
 * keeping, because the next round will probably use it again. The heap only.
 */
final class Demand {
  /** How often the use of the last round is kept: enough that what is kept can grow. */
  private static final int FACTOR = 2;

  private long[] nextQuotaBytes = new long[SizeClasses.COUNT];
  private long[] quotaBytes = new long[SizeClasses.COUNT];

  /** A class begins to use up so many bytes of free slots. */
  void use(int sizeClass, long bytes) {
    nextQuotaBytes[sizeClass] += FACTOR * bytes;
  }

  /** Begins a round: what the last one used may be kept. */
  void nextRound() {
    long[] old = quotaBytes;
    quotaBytes = nextQuotaBytes;
    nextQuotaBytes = old;
    Arrays.fill(nextQuotaBytes, 0);
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
