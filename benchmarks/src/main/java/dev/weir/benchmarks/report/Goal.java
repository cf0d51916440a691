package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import dev.weir.lab.report.Outcome;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What Weir is to reach in a cell.
 *
 * @param metric what is compared
 * @param kind with what
 * @param bound how far, in the kind's unit
 * @param beside parameters by which another cell of the run differs: what each takes there is taken
 *     off before they are compared; empty for none
 */
public record Goal(Metric metric, Kind kind, double bound, Map<String, String> beside) {

  /** A goal of one cell alone. */
  public Goal(Metric metric, Kind kind, double bound) {
    this(metric, kind, bound, Map.of());
  }

  /** What a goal compares. */
  public enum Kind {
    /** The best of Netty's takes at least {@code bound} times what Weir takes. */
    TIMES_NETTY,
    /** Weir takes no more than the best of Netty's. */
    NO_MORE_THAN_NETTY,
    /** Mimalloc takes at least {@code bound} times what Weir takes. */
    TIMES_MIMALLOC,
    /**
     * Weir takes at most {@code bound} times what the least of Netty's takes, or no more than that
     * of Netty's which has the best time.
     */
    NO_MORE_THAN_LEAST_OR_FASTEST,
    /** Weir with a budget takes at most {@code bound} times what Weir takes without. */
    TIMES_BARE,
    /** Weir takes at most {@code bound}. */
    AT_MOST,
    /** Weir beside the best of Netty's, with nothing to be reached. */
    SHOWN
  }

  /**
   * A goal with what was measured.
   *
   * @param goal in words
   * @param weir what Weir takes
   * @param other what it is compared with takes, and who that is; empty if with nobody
   * @param ratio the other by Weir, for a budget the other way round; empty if there is no ratio
   * @param malloc the best malloc by Weir, which nothing is judged by, and who that is; empty if
   *     the goal does not compare with Netty's or none was measured
   * @param outcome whether it is so
   */
  public record Verdict(
      String goal, String weir, String other, String ratio, String malloc, Outcome outcome) {}

  /** What nobody has set a goal for, beside the best of Netty's. */
  static Goal shown(Metric metric) {
    return new Goal(metric, Kind.SHOWN, 0);
  }

  /** Whether there is something to be reached. */
  public boolean isJudged() {
    return kind != Kind.SHOWN;
  }

  /** What is compared, as tables name it. */
  String title() {
    return beside.isEmpty()
        ? metric.title()
        : metric.title() + " less " + String.join(" ", beside.values());
  }

  /** Judges a measurement of a run; empty if that lacks what the goal compares. */
  public Optional<Verdict> judge(Measurement measurement, List<Measurement> run) {
    if (kind == Kind.NO_MORE_THAN_LEAST_OR_FASTEST) {
      return besideLeastOrFastest(measurement);
    }
    if (beside.isEmpty()) {
      return judge(peer -> value(measurement, peer));
    }
    return run.stream()
        .filter(other -> isBeside(other.cell(), measurement.cell()))
        .findFirst()
        .flatMap(other -> judge(peer -> less(measurement, other, peer)));
  }

  private Optional<Verdict> besideLeastOrFastest(Measurement measurement) {
    Function<Peer, Optional<Taken>> values = peer -> value(measurement, peer);
    Function<Peer, Optional<Taken>> times =
        peer -> measurement.score(peer, Metric.NS_PER_OP).map(Taken::of);
    Optional<Map.Entry<String, Taken>> least = best(Family.NETTY, values);
    Optional<Map.Entry<String, Taken>> fastest =
        best(Family.NETTY, times)
            .flatMap(best ->
                values.apply(Peer.of(best.getKey())).map(own -> Map.entry(best.getKey(), own)));
    if (values.apply(Peer.WEIR).isEmpty() || least.isEmpty() || fastest.isEmpty()) {
      return Optional.empty();
    }
    Taken own = values.apply(Peer.WEIR).get();
    boolean fastestHasMore =
        fastest.get().getValue().median() > bound * least.get().getValue().median();
    Map.Entry<String, Taken> other = (fastestHasMore ? fastest : least).get();
    Outcome outcome = own.isAtMost(fastestHasMore ? 1 : bound, other.getValue());
    return Optional.of(compared(own, other, values, outcome));
  }

  private boolean isBeside(Cell other, Cell cell) {
    Map<String, String> wanted = new HashMap<>(cell.parameters());
    wanted.putAll(beside);
    return other.suite().equals(cell.suite())
        && other.parameters().equals(wanted)
        && other.thread() == cell.thread()
        && other.threads() == cell.threads()
        && other.leakDetection() == cell.leakDetection();
  }

  private Optional<Taken> value(Measurement measurement, Peer peer) {
    return measurement.score(peer, metric).map(Taken::of);
  }

  private Optional<Taken> less(Measurement measurement, Measurement other, Peer peer) {
    return value(measurement, peer).flatMap(all -> value(other, peer).map(all::less));
  }

  private Optional<Verdict> judge(Function<Peer, Optional<Taken>> values) {
    return values
        .apply(Peer.WEIR)
        .flatMap(own ->
            switch (kind) {
              case TIMES_NETTY ->
                  best(Family.NETTY, values)
                      .map(netty ->
                          compared(own, netty, values, own.isAtMost(1 / bound, netty.getValue())));
              case TIMES_MIMALLOC ->
                  values
                      .apply(Peer.MIMALLOC)
                      .map(other ->
                          verdict(
                              own,
                              text(other) + " " + Peer.MIMALLOC.label(),
                              times(other, own),
                              "",
                              own.isAtMost(1 / bound, other)));
              case NO_MORE_THAN_LEAST_OR_FASTEST -> Optional.empty(); // needs times too
              case NO_MORE_THAN_NETTY ->
                  best(Family.NETTY, values)
                      .map(
                          netty -> compared(own, netty, values, own.isAtMost(1, netty.getValue())));
              case SHOWN ->
                  best(Family.NETTY, values)
                      .map(netty -> compared(own, netty, values, Outcome.NOT_JUDGED));
              case TIMES_BARE ->
                  values
                      .apply(Peer.WEIR_BUDGET)
                      .map(charged ->
                          verdict(
                              own,
                              text(charged) + " " + Peer.WEIR_BUDGET.label(),
                              times(charged, own),
                              "",
                              charged.isAtMost(bound, own)));
              case AT_MOST -> Optional.of(verdict(own, "", "", "", own.isAtMost(bound)));
            });
  }

  private static Optional<Map.Entry<String, Taken>> best(
      Family family, Function<Peer, Optional<Taken>> values) {
    return Arrays.stream(Peer.values())
        .filter(peer -> peer.family() == family)
        .flatMap(peer -> values.apply(peer).stream().map(value -> Map.entry(peer.label(), value)))
        .min(Comparator.comparingDouble(entry -> entry.getValue().median()));
  }

  private Verdict compared(
      Taken own,
      Map.Entry<String, Taken> netty,
      Function<Peer, Optional<Taken>> values,
      Outcome outcome) {
    String malloc =
        best(Family.MALLOC, values)
            .filter(best -> own.median() > 0)
            .map(best -> times(best.getValue(), own) + " " + best.getKey())
            .orElse("");
    Taken best = netty.getValue();
    return verdict(own, text(best) + " " + netty.getKey(), times(best, own), malloc, outcome);
  }

  private Verdict verdict(Taken own, String other, String ratio, String malloc, Outcome outcome) {
    String goal =
        switch (kind) {
          case TIMES_NETTY, TIMES_MIMALLOC -> "at least " + number(bound);
          case NO_MORE_THAN_NETTY -> "at least 1";
          case NO_MORE_THAN_LEAST_OR_FASTEST ->
              "at least %s, or 1 of the fastest".formatted(number(1 / bound));
          case TIMES_BARE -> "at most " + number(bound);
          case AT_MOST -> "at most " + number(metric.inTableUnit(bound)) + " " + metric.title();
          case SHOWN -> "";
        };
    return new Verdict(goal, text(own), other, ratio, malloc, outcome);
  }

  private String text(Taken value) {
    double shown = metric.inTableUnit(value.median());
    return String.format(Locale.ROOT, shown < 1 ? "%.3f" : "%,.1f", shown);
  }

  private static String times(Taken numerator, Taken denominator) {
    return denominator.median() > 0
        ? String.format(Locale.ROOT, "%.2f", numerator.median() / denominator.median())
        : "";
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
  }
}
