package dev.weir.objects.s3.retry;

/**
 * How many requests may run at once: one more for each round of successes, half as many when the
 * service says "slow down". Requests that began before the last decrease cannot cause another: they
 * tell of the same congestion. Pure arithmetic; its owner holds a lock.
 */
final class AimdLimit {
  private final int maxRequests;
  private double limit;
  private int generation;

  AimdLimit(int maxRequests) {
    this.maxRequests = maxRequests;
    this.limit = maxRequests;
  }

  /** At least 1. */
  int requests() {
    return (int) limit;
  }

  /** What a request that begins now gives back at its end. */
  int generation() {
    return generation;
  }

  void succeeded() {
    limit = Math.min(maxRequests, limit + 1 / limit);
  }

  void throttled(int begunInGeneration) {
    if (begunInGeneration == generation) {
      generation++;
      limit = Math.max(1, limit / 2);
    }
  }
}
