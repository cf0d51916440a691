package dev.weir.objects.s3.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before another attempt: anything up to a bound that doubles from attempt to
 * attempt, so that those who failed together do not come back together.
 *
 * @param first the bound before the second attempt
 * @param most the bound never exceeds it
 * @param maxAttempts the first one counts
 */
public record Backoff(Duration first, Duration most, int maxAttempts) {
  /** 50 ms, 100 ms, … to 5 s; 6 attempts take 1.6 s at most, besides their own time. */
  public static final Backoff DEFAULT =
      new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5), 6);

  /** Nanoseconds to wait after so many attempts, at least one. */
  public long delayNanos(int attempts, RandomGenerator random) {
    long bound = first.toNanos() << Math.min(attempts - 1, 20);
    return 1 + random.nextLong(Math.min(bound, most.toNanos()));
  }
}
