package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How seldom a budget's children are gone through, however often it refuses. */
@Timeout(120)
class LargestNamesTest {
  private static final long FOUND_IN_NANOS = 1_000;

  private final Budget root = Budget.root("pool", () -> 1_000_000, 0, () -> 0);
  private final Budget feature = root.child("feature", Budget.UNLIMITED);
  private final Budget first = feature.child("first", Budget.UNLIMITED);
  private long nowNanos = Long.MAX_VALUE - 5_000;

  /** Each look at the time is so much later. */
  private long stepNanos;

  private final LargestNames names =
      new LargestNames(
          feature,
          () -> {
            nowNanos += stepNanos;
            return nowNanos;
          });

  @Test
  void theWordsAreKeptAHundredTimesAsLongAsTheyTookToFind() {
    assertThat(first.tryCharge(7_000)).isTrue();
    stepNanos = FOUND_IN_NANOS;
    assertThat(names.words()).isEqualTo("first 7,000");
    stepNanos = 0;
    assertThat(feature.child("second", Budget.UNLIMITED).tryCharge(8_000)).isTrue();

    nowNanos += LargestNames.KEPT_TIMES * FOUND_IN_NANOS - 1;
    assertThat(names.words()).isEqualTo("first 7,000");
    nowNanos++;
    assertThat(names.words()).isEqualTo("second 8,000, first 7,000");
  }

  /** A thousand are refused at once: the children are gone through once, and nobody waits. */
  @Test
  void oneThreadFindsThemAndNobodyWaitsForIt() throws InterruptedException {
    assertThat(first.tryCharge(7_000)).isTrue();
    CountDownLatch walking = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(1);
    AtomicInteger looks = new AtomicInteger();
    LargestNames shared =
        new LargestNames(
            feature,
            () -> {
              // The second look of the first thread ends its walk.
              if (looks.incrementAndGet() == 2) {
                walking.countDown();
                awaitQuietly(refused);
              }
              return 0;
            });
    List<String> found = new ArrayList<>();
    Workers workers = new Workers();
    workers.platform(() -> found.add(shared.words()));
    assertThat(walking.await(60, TimeUnit.SECONDS)).isTrue();

    for (int i = 0; i < 1_000; i++) {
      assertThat(shared.words()).isEmpty();
    }

    refused.countDown();
    workers.join();
    assertThat(found).containsExactly("first 7,000");
    assertThat(looks).hasValue(1_002);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
