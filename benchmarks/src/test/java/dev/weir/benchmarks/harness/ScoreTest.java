package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScoreTest {

  @Test
  void isTheMedianWithHalfTheSpread() {
    Score odd = Score.of(List.of(12.0, 9.0, 40.0));
    assertThat(odd.median()).isEqualTo(12.0);
    assertThat(odd.error()).isEqualTo(15.5);
    assertThat(odd.rounds()).isEqualTo(3);
    assertThat(Score.of(List.of(1.0, 2.0, 3.0, 10.0)).median()).isEqualTo(2.5);
    assertThat(Score.of(List.of(7.0)).error()).isZero();
  }
}
