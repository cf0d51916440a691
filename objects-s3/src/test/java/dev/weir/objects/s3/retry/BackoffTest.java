package dev.weir.objects.s3.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void pausesAreRandomBelowABoundThatDoubles() {
    Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1), 10);
    Random random = new Random(1);
    long bound = Duration.ofMillis(50).toNanos();
    for (int attempts = 1; attempts < 100; attempts++) {
      long most = 0;
      for (int i = 0; i < 1_000; i++) {
        most = Math.max(most, backoff.delayNanos(attempts, random));
      }
      assertThat(most).isBetween(bound * 9 / 10, bound);
      bound = Math.min(bound * 2, Duration.ofSeconds(1).toNanos());
    }
  }
}
