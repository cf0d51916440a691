package dev.weir.memory.pressure;

import static dev.weir.memory.pressure.Pressure.CRITICAL;
import static dev.weir.memory.pressure.Pressure.HIGH;
import static dev.weir.memory.pressure.Pressure.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PressureTest {
  private static final long UNLIMITED = Long.MAX_VALUE;

  @Test
  void aLevelIsLeftLaterThanItIsReached() {
    assertThat(NONE.next(749, 750, 1_600)).isEqualTo(NONE);
    assertThat(NONE.next(750, 750, 1_600)).isEqualTo(HIGH);
    assertThat(HIGH.next(657, 750, 1_600)).isEqualTo(HIGH);
    assertThat(HIGH.next(656, 750, 1_600)).isEqualTo(NONE);
    assertThat(HIGH.next(1_100, 1_200, 1_600)).isEqualTo(HIGH);
    assertThat(HIGH.next(1_099, 1_200, 1_600)).isEqualTo(NONE);
    assertThat(HIGH.next(1_499, 1_200, 1_600)).isEqualTo(HIGH);
    assertThat(HIGH.next(1_500, 1_200, 1_600)).isEqualTo(CRITICAL);
    assertThat(CRITICAL.next(1_400, 1_200, 1_600)).isEqualTo(CRITICAL);
    assertThat(CRITICAL.next(1_399, 1_200, 1_600)).isEqualTo(HIGH);
    assertThat(CRITICAL.next(0, 1_200, 1_600)).isEqualTo(NONE);
    assertThat(NONE.next(1_600, 1_200, 1_600)).isEqualTo(CRITICAL);
  }

  @Test
  void withoutALimitOnlyTheSoftOneCounts() {
    assertThat(NONE.next(1L << 60, UNLIMITED, UNLIMITED)).isEqualTo(NONE);
    assertThat(NONE.next(1_000, 1_000, UNLIMITED)).isEqualTo(HIGH);
    assertThat(HIGH.next(1L << 60, 1_000, UNLIMITED)).isEqualTo(HIGH);
    assertThat(HIGH.next(875, 1_000, UNLIMITED)).isEqualTo(HIGH);
    assertThat(HIGH.next(874, 1_000, UNLIMITED)).isEqualTo(NONE);
    assertThat(Pressure.defaultSoftLimitBytes(UNLIMITED)).isEqualTo(UNLIMITED);
    assertThat(Pressure.defaultSoftLimitBytes(1_000)).isEqualTo(750);
  }

  @Test
  void withoutASoftLimitPressureBeginsWhereItIsCritical() {
    assertThat(NONE.next(1_499, UNLIMITED, 1_600)).isEqualTo(NONE);
    assertThat(NONE.next(1_500, UNLIMITED, 1_600)).isEqualTo(CRITICAL);
  }

  @Test
  void aBudgetThatMayHoldNothingIsCriticalAtOnce() {
    assertThat(NONE.next(0, 0, 0)).isEqualTo(CRITICAL);
  }

  /** A level that has just been found stays, and no greater use ever finds a lower one. */
  @Test
  void levelsAreStableAndGrowWithUse() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long limit = random.nextLong(10_000);
      long soft = random.nextLong(12_000);
      long used = random.nextLong(12_000);
      Pressure before = Pressure.values()[random.nextInt(3)];
      Pressure found = before.next(used, soft, limit);
      String line = "%s, %d used, soft %d, limit %d".formatted(before, used, soft, limit);

      assertThat(found.next(used, soft, limit)).as(line).isEqualTo(found);
      assertThat(before.next(used + 1, soft, limit)).as(line).isGreaterThanOrEqualTo(found);
    }
  }
}
