package dev.weir.lab.report;

import static dev.weir.lab.report.Outcome.MISSED;
import static dev.weir.lab.report.Outcome.NOT_JUDGED;
import static dev.weir.lab.report.Outcome.NOT_MEASURED;
import static dev.weir.lab.report.Outcome.REACHED;
import static dev.weir.lab.report.Outcome.WITHIN_NOISE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomeTest {
  @Test
  void whatIsNotJudgedCountsForNothing() {
    assertThat(Outcome.count(List.of())).isEmpty();
    assertThat(Outcome.count(List.of(NOT_JUDGED))).isEmpty();
    assertThat(Outcome.count(List.of(REACHED, NOT_JUDGED, MISSED, NOT_MEASURED)))
        .isEqualTo("1 of 3 goals are reached\n");
    assertThat(Outcome.count(List.of(REACHED, WITHIN_NOISE)))
        .isEqualTo("1 of 2 goals are reached, 1 are within the noise\n");
  }
}
