package dev.weir.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final long SECOND = 1_000_000_000L;

  private final TokenBucket bucket = new TokenBucket(1_000, 100, 0);

  @Test
  void startsFull() {
    assertThat(bucket.take(100, 0)).isZero();
    assertThat(bucket.take(1, 0)).isPositive();
  }

  @Test
  void tellsWhenTheTokensWillBeThere() {
    bucket.take(100, 0);
    assertThat(bucket.take(50, 0)).isEqualTo(SECOND / 20);
    assertThat(bucket.take(50, SECOND / 40)).isEqualTo(SECOND / 40);
    assertThat(bucket.take(50, SECOND / 20)).isZero();
  }

  @Test
  void doesNotCatchUpAfterAWait() {
    bucket.take(100, 0);
    assertThat(bucket.take(100, 60 * SECOND)).isZero();
    assertThat(bucket.take(100, 60 * SECOND)).isEqualTo(SECOND / 10);
  }

  @Test
  void keepsThePaceOverManyTakes() {
    long now = 0;
    long taken = 0;
    while (now < 10 * SECOND) {
      long waitNanos = bucket.take(7, now);
      if (waitNanos == 0) {
        taken += 7;
      }
      now += waitNanos;
    }
    assertThat(taken).isBetween(10_000L, 10_107L);
  }
}
