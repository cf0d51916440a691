package dev.weir.benchmarks.written;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 31, 32, 33, 63, 64, 1_000, 123_456_789, Long.MAX_VALUE})
  void aTimeComesBackToWithinA32nd(long nanos) {
    Latencies latencies = new Latencies();
    latencies.add(nanos);
    assertThat(latencies.quantile(0.999)).isLessThanOrEqualTo(nanos);
    assertThat(latencies.quantile(0.999)).isCloseTo(nanos, Percentage.withPercentage(100 / 32.0));
  }

  @Test
  void theQuantileIsThatOfTheOrderedTimes() {
    Latencies latencies = new Latencies();
    for (int i = 0; i < 998; i++) {
      latencies.add(10);
    }
    latencies.add(20);
    latencies.add(30);
    assertThat(latencies.quantile(0.998)).isEqualTo(10);
    assertThat(latencies.quantile(0.999)).isEqualTo(20);
    assertThat(latencies.quantile(1)).isEqualTo(30);
  }

  @Test
  void nothingTakesNoTime() {
    assertThat(new Latencies().quantile(0.5)).isZero();
  }
}
