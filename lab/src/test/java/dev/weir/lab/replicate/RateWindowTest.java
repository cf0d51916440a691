package dev.weir.lab.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateWindowTest {
  private static final long TENTH_NANOS = 100_000_000;
  private static final long SECOND_NANOS = 10 * TENTH_NANOS;

  /** Behind the first second, which does not count. */
  private final long begun = System.nanoTime() + 10 * SECOND_NANOS;

  @Test
  void tenSlowSecondsAreToldFromTenFastOnes() {
    try (RateWindow window = new RateWindow()) {
      long bytes = 1;
      for (int tenth = 0; tenth < 400; tenth++) {
        bytes += tenth < 200 ? 100 : 50;
        window.add(begun + tenth * TENTH_NANOS, bytes);
      }

      assertThat(window.fastest()).isEqualTo(1_000);
      assertThat(window.slowest()).isEqualTo(500);
    }
  }

  @Test
  void lessThanTenSecondsSayNothing() {
    try (RateWindow window = new RateWindow()) {
      window.add(begun, 1);
      window.add(begun + 9 * SECOND_NANOS, 1_000);

      assertThat(window.fastest()).isZero();
      assertThat(window.slowest()).isZero();
    }
  }
}
