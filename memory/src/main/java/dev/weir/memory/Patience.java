package dev.weir.memory;

/**
 * How long one request may wait for calls of reclaimers that other threads have begun: so long in
 * all, whatever the number of reclaimers and of turns. For one thread.
 */
final class Patience {
  /** 100 ms: many time slices, so that calls which only need a processor are waited for. */
  static final long MOST_NANOS = 100_000_000;

  private long leftNanos = MOST_NANOS;

  /** Whether a wait that has lasted so long, beside those that were spent, is to end. */
  boolean endsAfter(long waitedNanos) {
    return waitedNanos >= leftNanos;
  }

  /** A wait has ended. */
  void spend(long waitedNanos) {
    leftNanos -= waitedNanos;
  }
}
