package dev.weir.objects.s3.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.objects.s3.retry.RequestLimiter.End;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestLimiterTest {
  private final Deque<Integer> begun = new ArrayDeque<>();

  @Test
  void noMoreRunAndWaitThanAllowed() {
    RequestLimiter limiter = new RequestLimiter(2, 3);
    for (int i = 0; i < 5; i++) {
      assertThat(limiter.trySubmit(begun::add)).isTrue();
    }
    assertThat(limiter.trySubmit(begun::add)).isFalse();
    assertThat(begun).hasSize(2);
    assertThat(limiter.waiting()).isEqualTo(3);

    limiter.ended(End.SUCCEEDED, begun.remove());
    assertThat(begun).hasSize(2);
    assertThat(limiter.running()).isEqualTo(2);
  }

  @Test
  void whatIsWithdrawnNeverBegins() {
    RequestLimiter limiter = new RequestLimiter(1, 3);
    limiter.trySubmit(begun::add);
    RequestLimiter.Waiter waiter = begun::add;
    limiter.trySubmit(waiter);

    assertThat(limiter.tryWithdraw(waiter)).isTrue();
    assertThat(limiter.tryWithdraw(waiter)).isFalse();
    limiter.ended(End.OTHER, begun.remove());

    assertThat(begun).isEmpty();
    assertThat(limiter.running()).isZero();
  }

  @Test
  void aRoundOfThrottledRequestsHalvesTheLimitOnce() {
    RequestLimiter limiter = new RequestLimiter(64, 0);
    for (int i = 0; i < 64; i++) {
      limiter.trySubmit(begun::add);
    }
    while (!begun.isEmpty()) {
      limiter.ended(End.THROTTLED, begun.remove());
    }
    assertThat(limiter.limit()).isEqualTo(32);
  }

  @Test
  void theLimitGrowsByOneARoundOfSuccesses() {
    RequestLimiter limiter = new RequestLimiter(64, 0);
    for (int round = 0; round < 10; round++) {
      limiter.trySubmit(begun::add);
      limiter.ended(End.THROTTLED, begun.remove());
    }
    assertThat(limiter.limit()).isEqualTo(1);

    for (int rounds = 1; rounds < 200; rounds++) {
      int limit = limiter.limit();
      for (int i = 0; i < limit; i++) {
        limiter.trySubmit(begun::add);
      }
      while (!begun.isEmpty()) {
        limiter.ended(End.SUCCEEDED, begun.remove());
      }
      assertThat(limiter.limit()).isBetween(limit, limit + 1);
    }
    assertThat(limiter.limit()).isEqualTo(64);
  }

  @Test
  void randomEndsKeepTheCounts() {
    long seed = Long.getLong("weir.test.seed", 3);
    Random random = new Random(seed);
    RequestLimiter limiter = new RequestLimiter(8, 16);
    int submitted = 0;
    int ended = 0;
    for (int step = 0; step < 10_000; step++) {
      if (random.nextBoolean()) {
        submitted += limiter.trySubmit(begun::add) ? 1 : 0;
      } else if (!begun.isEmpty()) {
        limiter.ended(End.values()[random.nextInt(3)], begun.remove());
        ended++;
      }
      String what = "-Dweir.test.seed=" + seed + ", step " + step;
      assertThat(limiter.running()).as(what).isEqualTo(begun.size()).isBetween(0, 8);
      assertThat(limiter.running() + limiter.waiting()).as(what).isEqualTo(submitted - ended);
      assertThat(limiter.waiting() == 0 || limiter.running() >= limiter.limit()).as(what).isTrue();
    }
  }
}
