package dev.weir.benchmarks.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Outcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How goals judge rounds. */
class StreamsGoalTest {
  private static final StreamsGoal MORE =
      new StreamsGoal(
          StreamsRow.APPEND_1K_100, StreamsMetric.APPENDS, StreamsGoal.Kind.TIMES_RUST, 1.1);

  private static final StreamsGoal LESS =
      new StreamsGoal(StreamsRow.SSE_100, StreamsMetric.P99, StreamsGoal.Kind.TIMES_RUST, 1.25);

  private static StreamsMeasurement measured(
      StreamsRow row, StreamsMetric metric, List<Double> weir, List<Double> rust) {
    StreamsMeasurement measurement = new StreamsMeasurement(row);
    weir.forEach(value -> measurement.add("weir", Map.of(metric, value)));
    rust.forEach(value -> measurement.add("rust", Map.of(metric, value)));
    return measurement;
  }

  private static Outcome outcome(StreamsGoal goal, List<Double> weir, List<Double> rust) {
    return goal.judge(List.of(measured(goal.row(), goal.metric(), weir, rust)))
        .orElseThrow()
        .outcome();
  }

  @Test
  void whereMoreIsBetterTheWorstRoundHasToReachTheBestOfTheOther() {
    assertThat(outcome(MORE, List.of(111.0, 120.0), List.of(90.0, 100.0)))
        .isEqualTo(Outcome.REACHED);
    assertThat(outcome(MORE, List.of(109.0, 120.0), List.of(90.0, 100.0)))
        .isEqualTo(Outcome.WITHIN_NOISE);
    assertThat(outcome(MORE, List.of(90.0, 98.0), List.of(90.0, 100.0))).isEqualTo(Outcome.MISSED);
  }

  @Test
  void whereLessIsBetterItIsTheOtherWayRound() {
    assertThat(outcome(LESS, List.of(4.0, 5.0), List.of(4.0, 6.0))).isEqualTo(Outcome.REACHED);
    assertThat(outcome(LESS, List.of(4.0, 6.0), List.of(4.0, 6.0))).isEqualTo(Outcome.WITHIN_NOISE);
    assertThat(outcome(LESS, List.of(8.0, 9.0), List.of(4.0, 6.0))).isEqualTo(Outcome.MISSED);
  }

  @Test
  void withoutThePeerAGoalIsNotMeasured() {
    assertThat(outcome(MORE, List.of(1.0), List.of())).isEqualTo(Outcome.NOT_MEASURED);
    assertThat(MORE.judge(List.of())).isEmpty();
  }

  @Test
  void manyStreamsAreSetBesideAThousand() {
    StreamsGoal goal =
        new StreamsGoal(
            StreamsRow.APPEND_1K_100000,
            StreamsMetric.APPENDS,
            StreamsGoal.Kind.TIMES_THOUSAND,
            0.9);
    StreamsMeasurement many = measured(goal.row(), goal.metric(), List.of(95.0), List.of());
    StreamsMeasurement thousand =
        measured(StreamsRow.APPEND_1K_1000, goal.metric(), List.of(100.0), List.of());
    assertThat(goal.judge(List.of(thousand, many)).orElseThrow().outcome())
        .isEqualTo(Outcome.REACHED);
  }

  @Test
  void aBoundIsJudgedAlone() {
    StreamsGoal goal =
        new StreamsGoal(
            StreamsRow.APPEND_1K_1, StreamsMetric.WRITTEN, StreamsGoal.Kind.AT_MOST, 2.5);
    assertThat(outcome(goal, List.of(2.4), List.of())).isEqualTo(Outcome.REACHED);
    assertThat(outcome(goal, List.of(2.6), List.of())).isEqualTo(Outcome.MISSED);
  }
}
