package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What Weir is to reach in a cell.
 *
 * @param metric what is compared
 * @param kind with what
 * @param bound how far, in the kind's unit
 */
public record Goal(Metric metric, Kind kind, double bound) {

  /** What a goal compares. */
  public enum Kind {
    /** The best of Netty's takes at least {@code bound} times what Weir takes. */
    TIMES_NETTY,
    /** Weir takes no more than the best of Netty's. */
    NO_MORE_THAN_NETTY,
    /** Weir with a budget takes at most {@code bound} times what Weir takes without. */
    TIMES_BARE,
    /** Weir takes at most {@code bound}. */
    AT_MOST
  }

  /**
   * A goal with what was measured.
   *
   * @param goal in words
   * @param weir what Weir takes
   * @param other what it is compared with takes, and who that is; empty if with nobody
   * @param ratio the other by Weir, for a budget the other way round; empty if there is no ratio
   * @param reached whether it is so
   */
  public record Verdict(String goal, String weir, String other, String ratio, boolean reached) {}

  /** Judges a measurement; empty if it lacks what the goal compares. */
  public Optional<Verdict> judge(Measurement measurement) {
    Optional<Double> weir = measurement.score(Peer.WEIR, metric).map(Score::median);
    return weir.flatMap(own ->
        switch (kind) {
          case TIMES_NETTY ->
              bestOfNetty(measurement)
                  .map(best -> compared(own, best, best.getValue() >= bound * own));
          case NO_MORE_THAN_NETTY ->
              bestOfNetty(measurement).map(best -> compared(own, best, best.getValue() >= own));
          case TIMES_BARE ->
              measurement
                  .score(Peer.WEIR_BUDGET, metric)
                  .map(Score::median)
                  .map(charged ->
                      verdict(
                          own,
                          text(charged) + " " + Peer.WEIR_BUDGET.label(),
                          times(charged, own),
                          charged <= bound * own));
          case AT_MOST -> Optional.of(verdict(own, "", "", own <= bound));
        });
  }

  private Optional<Map.Entry<String, Double>> bestOfNetty(Measurement measurement) {
    return measurement.scores().keySet().stream()
        .filter(peer -> peer.family() == Family.NETTY)
        .flatMap(peer ->
            measurement.score(peer, metric).stream()
                .map(score -> Map.entry(peer.label(), score.median())))
        .min(Map.Entry.comparingByValue());
  }

  private Verdict compared(double own, Map.Entry<String, Double> best, boolean reached) {
    return verdict(
        own, text(best.getValue()) + " " + best.getKey(), times(best.getValue(), own), reached);
  }

  private Verdict verdict(double own, String other, String ratio, boolean reached) {
    String goal =
        switch (kind) {
          case TIMES_NETTY -> "at least " + number(bound);
          case NO_MORE_THAN_NETTY -> "at least 1";
          case TIMES_BARE -> "at most " + number(bound);
          case AT_MOST -> "at most " + number(metric.inTableUnit(bound)) + " " + metric.title();
        };
    return new Verdict(goal, text(own), other, ratio, reached);
  }

  private String text(double value) {
    double shown = metric.inTableUnit(value);
    return String.format(Locale.ROOT, shown < 1 ? "%.3f" : "%,.1f", shown);
  }

  private static String times(double numerator, double denominator) {
    return denominator > 0 ? String.format(Locale.ROOT, "%.2f", numerator / denominator) : "";
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
  }
}
