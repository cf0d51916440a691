package dev.weir.memory.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.memory.testing.Logged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock of the test's own, and blocks that are live from one moment of it to another. */
class LeakWatchTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long SAMPLE_BYTES = 512 << 10;
  private static final StackTraceElement LEAK =
      new StackTraceElement("com.example.Handler", "channelRead", "Handler.java", 42);
  private static final StackTraceElement CACHE =
      new StackTraceElement("com.example.Cache", "load", "Cache.java", 7);

  private record Sampled(
      String budget, StackTraceElement place, long bytes, long fromNanos, long toNanos) {}

  private final LeakWatch watch = new LeakWatch(LeakWatch.DEFAULT_THRESHOLD);
  private final List<Sampled> blocks = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 20 * SECOND; // overflows soon, as the clock may
  private final long startNanos = nowNanos;

  private void hold(
      StackTraceElement place, String budget, double atSecond, double untilSecond, long bytes) {
    blocks.add(
        new Sampled(
            budget, place, bytes, (long) (atSecond * SECOND), (long) (untilSecond * SECOND)));
  }

  private void leak(StackTraceElement place, double fromSecond, double toSecond, double perSecond) {
    for (double at = fromSecond; at < toSecond; at += 1 / perSecond) {
      hold(place, "pool/a", at, 1e9, SAMPLE_BYTES);
    }
  }

  /** Reads as often as the watch wants until then; says when it first named somebody, or −1. */
  private double readUntil(double second) {
    double first = -1;
    while (nowNanos - startNanos < second * SECOND) {
      nowNanos += watch.interval().toNanos();
      long elapsed = nowNanos - startNanos;
      watch.read(
          new LiveProfile(
              SAMPLE_BYTES,
              0,
              blocks.stream()
                  .filter(of -> of.fromNanos <= elapsed && elapsed < of.toNanos)
                  .map(of ->
                      new LiveBlocks(
                          of.budget, of.bytes, 1, elapsed - of.fromNanos, List.of(of.place)))
                  .toList()),
          nowNanos);
      if (first < 0 && !watch.suspects().isEmpty()) {
        first = (double) elapsed / SECOND;
      }
    }
    return first;
  }

  @Test
  void aPoolWithoutSamplesIsToldOnce() {
    try (Logged log = new Logged(LeakWatch.class.getName())) {
      watch.read(LiveProfile.EMPTY, nowNanos);
      watch.read(LiveProfile.EMPTY, nowNanos + SECOND);

      assertThat(log.records())
          .singleElement()
          .satisfies(line ->
              assertThat(line.getMessage())
                  .contains("takes no samples", "withProfile", "-Dweir.profile=on"));
    }
  }

  @Test
  void aLeakIsNamedSoonAfterItsFirstBlocksAreOld() {
    leak(LEAK, 0, 60, 2); // 1 MiB/s
    assertThat(readUntil(60)).isBetween(30.0, 40.0);

    LeakSuspect suspect = watch.suspects().getFirst();
    assertThat(watch.suspects()).hasSize(1);
    assertThat(suspect.stack()).containsExactly(LEAK);
    assertThat(suspect.budget()).isEqualTo("pool/a");
    assertThat(suspect.growthBytesPerSecond()).isCloseTo(1 << 20, within(1L << 17));
    assertThat(suspect.bytes()).isCloseTo(30 << 20, within(2L << 20));
    assertThat(suspect.oldestNanos()).isCloseTo(60 * SECOND, within(2 * SECOND));
  }

  @Test
  void aLeakThatEndsIsForgiven() {
    leak(LEAK, 0, 100, 2);
    assertThat(readUntil(120)).isPositive();
    assertThat(watch.suspects()).hasSize(1);
    readUntil(100 + 30 + 150 + 15);
    assertThat(watch.suspects()).isEmpty();
  }

  /** A block of 4 MiB every 40 s: a step now and then in the first series. */
  @Test
  void aSlowLeakShowsInALongerSeries() {
    for (int i = 0; i < 60; i++) {
      hold(LEAK, "pool", 40 * i, 1e9, 4 << 20);
    }
    assertThat(readUntil(2_000)).isBetween(200.0, 2_000.0);
    assertThat(watch.suspects().getFirst().growthBytesPerSecond())
        .isCloseTo((4 << 20) / 40, within(40_000L));
  }

  @Test
  void whatIsAllocatedOnceAndKeptIsNoLeak() {
    for (int i = 0; i < 100; i++) {
      hold(CACHE, "pool/cache", 5, 1e9, 1 << 20);
      hold(CACHE, "pool/cache", 400, 1e9, 1 << 20);
    }
    assertThat(readUntil(2_000)).isEqualTo(-1);
  }

  @Test
  void whatIsReleasedBeforeItIsOldIsNoLeak() {
    for (double at = 0; at < 300; at += 0.1) {
      hold(CACHE, "pool/cache", at, at + 29, SAMPLE_BYTES);
    }
    assertThat(readUntil(300)).isEqualTo(-1);
  }

  /** Blocks that live for about a minute, as many as there were before: old ones come and go. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aSteadyTurnoverIsNoLeak(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      double at = -random.nextInt(60);
      while (at < 1_500) {
        double until = at + 30 + random.nextInt(60);
        hold(CACHE, "pool/cache", at, until, SAMPLE_BYTES);
        at = until;
      }
    }
    long named = 0;
    readUntil(200); // the cache fills
    for (int second = 200; second < 1_500; second += 10) {
      readUntil(second);
      named += watch.suspects().size();
    }
    assertThat(named).as("of 130 looks, seed %d", seed).isLessThan(4);
  }

  @Test
  void theSamePlaceForManyBudgetsIsOneSuspect() {
    for (int i = 0; i < 300; i++) {
      hold(LEAK, i % 3 == 0 ? "pool/busy" : "pool/channel " + i, i * 0.2, 1e9, SAMPLE_BYTES);
    }
    assertThat(readUntil(60)).isPositive();
    assertThat(watch.suspects())
        .singleElement()
        .satisfies(suspect -> {
          assertThat(suspect.budget()).isEqualTo("pool/busy");
          assertThat(suspect.budgets()).isGreaterThan(50);
        });
  }

  @Test
  void placesAreBounded() {
    for (int i = 0; i < 3 * LeakWatch.MAX_PLACES; i++) {
      StackTraceElement place = new StackTraceElement("com.example.Gen", "m" + i, "Gen.java", i);
      for (int block = 0; block < 12; block++) {
        hold(place, "pool", 3 * block, 1e9, SAMPLE_BYTES);
      }
    }
    readUntil(62);
    assertThat(watch.suspects()).hasSize(LeakWatch.MAX_SUSPECTS);
    assertThat(watch.places()).isEqualTo(LeakWatch.MAX_PLACES);
    blocks.clear();
    readUntil(2 * 1_500);
    assertThat(watch.places()).isZero();
  }

  @Test
  void aLeakIsNamedAlthoughManyPlacesHoldSomething() {
    for (int i = 0; i < 2 * LeakWatch.MAX_PLACES; i++) {
      StackTraceElement place = new StackTraceElement("com.example.Gen", "m" + i, "Gen.java", i);
      hold(place, "pool", 0, 1e9, SAMPLE_BYTES);
    }
    leak(LEAK, 60, 200, 2);
    readUntil(120);
    assertThat(watch.suspects())
        .singleElement()
        .satisfies(suspect -> assertThat(suspect.stack()).containsExactly(LEAK));
    assertThat(watch.places()).isEqualTo(LeakWatch.MAX_PLACES);
  }

  @Test
  void aThresholdThatIsTooShortIsRefused() {
    assertThatThrownBy(() -> new LeakWatch(Duration.ZERO)).hasMessageContaining("too short");
  }
}
