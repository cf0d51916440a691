package dev.weir.replication.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  @Test
  void thoseWhoWaitAsToldKeepTheRateWithinFivePercent() {
    Random random = new Random(7);
    RateLimit limit = new RateLimit(100_000_000);
    long start = Long.MAX_VALUE - 1000; // The clock may overflow.
    long now = start;
    long bytes = 0;
    while (now - start < TimeUnit.SECONDS.toNanos(10)) {
      int taken = random.nextInt(1 << 20);
      bytes += taken;
      now += limit.take(taken, now) + random.nextInt(100_000);
    }
    assertThat((double) bytes).isBetween(0.95e9, 1.05e9);
  }

  @Test
  void aLimitOfNoneLetsAllPass() {
    RateLimit limit = new RateLimit(0);
    assertThat(limit.take(Long.MAX_VALUE, 5)).isZero();
    limit.set(1000);
    assertThat(limit.take(1000, 5)).isPositive();
  }
}
