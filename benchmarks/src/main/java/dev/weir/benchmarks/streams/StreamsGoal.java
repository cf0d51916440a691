package dev.weir.benchmarks.streams;

import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.streams.process.StreamServer;
import dev.weir.lab.report.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the node is to reach in a row.
 *
 * @param row where
 * @param metric in what
 * @param kind beside what
 * @param bound how far
 */
record StreamsGoal(StreamsRow row, StreamsMetric metric, Kind kind, double bound) {
  /** What the node's figure is set beside. */
  enum Kind {
    /** So many times the server in Rust. */
    TIMES_RUST,
    /** So many times the node itself over a thousand streams. */
    TIMES_THOUSAND,
    /** So many times its p99 in the same row, without a copy. */
    TIMES_ALONE,
    /** The bound itself. */
    AT_MOST
  }

  /**
   * A goal with what was measured.
   *
   * @param goal in words
   * @param weir what the node has
   * @param other what it is set beside; empty for nothing
   * @param ratio of the two; empty for none
   * @param outcome whether it is so
   */
  record Verdict(String goal, String weir, String other, String ratio, Outcome outcome) {}

  /** All of them. */
  static final List<StreamsGoal> ALL =
      List.of(
          rust(StreamsRow.APPEND_1K_1, StreamsMetric.APPENDS, 1),
          rust(StreamsRow.APPEND_1K_1, StreamsMetric.P99, 1),
          rust(StreamsRow.APPEND_1K_100, StreamsMetric.APPENDS, 1.1),
          rust(StreamsRow.APPEND_1K_100, StreamsMetric.P99, 1),
          rust(StreamsRow.APPEND_100K_1, StreamsMetric.APPENDS, 1.1),
          rust(StreamsRow.APPEND_100K_100, StreamsMetric.APPENDS, 1),
          new StreamsGoal(
              StreamsRow.APPEND_1K_100000, StreamsMetric.APPENDS, Kind.TIMES_THOUSAND, 0.9),
          rust(StreamsRow.CATCH_UP_1, StreamsMetric.READ, 1),
          rust(StreamsRow.CATCH_UP_4, StreamsMetric.READ, 0.9),
          rust(StreamsRow.CATCH_UP_1, StreamsMetric.FIRST_READ, 0.8),
          rust(StreamsRow.SSE_100, StreamsMetric.P50, 1.1),
          rust(StreamsRow.SSE_100, StreamsMetric.P99, 1.25),
          rust(StreamsRow.LONG_POLL_100, StreamsMetric.P50, 1.1),
          rust(StreamsRow.LONG_POLL_100, StreamsMetric.P99, 1.25),
          rust(StreamsRow.BESIDE_8, StreamsMetric.APPENDS, 1),
          rust(StreamsRow.BESIDE_8, StreamsMetric.READ, 1),
          alone(StreamsMetric.P99_SLOW_COPY, 1.5),
          alone(StreamsMetric.P99_FAST_COPY, 3),
          atMost(StreamsRow.CATCH_UP_1, StreamsMetric.RSS_LESS_POOL, 170),
          atMost(StreamsRow.CATCH_UP_4, StreamsMetric.RSS_LESS_POOL, 170),
          atMost(StreamsRow.CATCH_UP_4, StreamsMetric.POOL, 256),
          atMost(StreamsRow.APPEND_1K_1, StreamsMetric.WRITTEN, 2.5),
          atMost(StreamsRow.APPEND_1K_100, StreamsMetric.WRITTEN, 2.5),
          atMost(StreamsRow.APPEND_100K_100, StreamsMetric.WRITTEN, 2.5));

  private static StreamsGoal rust(StreamsRow row, StreamsMetric metric, double times) {
    return new StreamsGoal(row, metric, Kind.TIMES_RUST, times);
  }

  private static StreamsGoal alone(StreamsMetric metric, double times) {
    return new StreamsGoal(StreamsRow.BESIDE_COPY, metric, Kind.TIMES_ALONE, times);
  }

  private static StreamsGoal atMost(StreamsRow row, StreamsMetric metric, double bound) {
    return new StreamsGoal(row, metric, Kind.AT_MOST, bound);
  }

  /** Judges a run; empty if the node was not measured in that row. */
  Optional<Verdict> judge(List<StreamsMeasurement> run) {
    return score(run, row, metric, StreamServer.WEIR).map(weir -> judge(weir, other(run)));
  }

  private Optional<Score> other(List<StreamsMeasurement> run) {
    return switch (kind) {
      case TIMES_RUST -> score(run, row, metric, StreamServer.RUST);
      case TIMES_THOUSAND -> score(run, StreamsRow.APPEND_1K_1000, metric, StreamServer.WEIR);
      case TIMES_ALONE -> score(run, row, StreamsMetric.P99, StreamServer.WEIR);
      case AT_MOST -> Optional.of(new Score(1, 1, 1, 1));
    };
  }

  private static Optional<Score> score(
      List<StreamsMeasurement> run, StreamsRow of, StreamsMetric what, String server) {
    return run.stream()
        .filter(measurement -> measurement.row() == of)
        .findFirst()
        .flatMap(measurement -> measurement.score(server, what));
  }

  private Verdict judge(Score weir, Optional<Score> other) {
    boolean isAlone = kind == Kind.AT_MOST;
    return new Verdict(
        "at %s %s%s"
            .formatted(
                metric.isMoreBetter() ? "least" : "most", number(bound), isAlone ? "" : " ×"),
        number(weir.median()),
        isAlone ? "" : other.map(score -> number(score.median())).orElse("-"),
        isAlone ? "" : other.map(score -> number(weir.median() / score.median())).orElse("-"),
        other.map(score -> outcome(weir, score)).orElse(Outcome.NOT_MEASURED));
  }

  private Outcome outcome(Score weir, Score other) {
    boolean isSure =
        metric.isMoreBetter()
            ? weir.min() >= bound * other.max()
            : weir.max() <= bound * other.min();
    boolean isHopeless =
        metric.isMoreBetter() ? weir.max() < bound * other.min() : weir.min() > bound * other.max();
    return isSure ? Outcome.REACHED : isHopeless ? Outcome.MISSED : Outcome.WITHIN_NOISE;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%,.2f" : "%,.0f", value);
  }
}
