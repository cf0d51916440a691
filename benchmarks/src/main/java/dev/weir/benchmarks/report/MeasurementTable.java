package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi;

/**
 * Measurements as people read them: a table for each metric with a line for each cell, the median
 * of the rounds with half their spread, and how many times the best Netty allocator, and the best C
 * allocator, take what Weir takes.
 */
public final class MeasurementTable {
  private static final String NOTHING = "-";

  /** From here on decimals say nothing. */
  private static final double LARGE = 10_000;

  /** Rows in which nobody takes this much are left out. */
  private static final double NEXT_TO_NOTHING = 0.01;

  /** Below this one decimal says too little. */
  private static final double SMALL = 1;

  private MeasurementTable() {}

  /** A table for each metric that was measured, with an empty line between them. */
  public static String render(
      List<Measurement> measurements, List<Metric> metrics, List<Peer> peers, Ansi ansi) {
    List<String> tables = new ArrayList<>();
    for (Metric metric : metrics) {
      List<Measurement> shown =
          measurements.stream().filter(measurement -> saysSomething(measurement, metric)).toList();
      if (!shown.isEmpty()) {
        tables.add(table(shown, metric, peers, ansi));
      }
    }
    return String.join("\n", tables);
  }

  private static boolean saysSomething(Measurement measurement, Metric metric) {
    return measurement.scores().keySet().stream()
        .flatMap(peer -> measurement.score(peer, metric).stream())
        .anyMatch(score -> metric.inTableUnit(score.max()) >= NEXT_TO_NOTHING);
  }

  private static String table(
      List<Measurement> measurements, Metric metric, List<Peer> peers, Ansi ansi) {
    List<Peer> measured =
        peers.stream()
            .filter(peer ->
                measurements.stream().anyMatch(each -> each.score(peer, metric).isPresent()))
            .toList();
    List<Ratio> ratios = Ratio.among(measured);
    List<String> titles = new ArrayList<>(measurements.getFirst().cell().parameters().keySet());
    titles.set(0, metric.title());
    titles.addAll(List.of("threads", "leak detection"));
    measured.forEach(peer -> titles.add(peer.label()));
    ratios.forEach(ratio -> titles.add(ratio.title()));
    TextTable table = new TextTable(titles.toArray(String[]::new));
    for (Measurement measurement : measurements) {
      table.add(row(measurement, metric, measured, ratios).toArray(String[]::new));
    }
    return table.render(ansi);
  }

  private static List<String> row(
      Measurement measurement, Metric metric, List<Peer> peers, List<Ratio> ratios) {
    Cell cell = measurement.cell();
    List<String> row = new ArrayList<>(cell.parameters().values());
    row.add(cell.threadsText());
    row.add(cell.leakDetection().label());
    for (Peer peer : peers) {
      row.add(measurement.score(peer, metric).map(score -> text(score, metric)).orElse(NOTHING));
    }
    for (Ratio ratio : ratios) {
      Optional<Double> value = ratio.of(measurement, metric);
      row.add(
          value
              .map(times -> "@|bold " + String.format(Locale.ROOT, "%.2f", times) + "|@")
              .orElse(NOTHING));
    }
    return row;
  }

  private static String text(Score score, Metric metric) {
    double median = metric.inTableUnit(score.median());
    String format =
        median >= LARGE ? "%,.0f ± %,.0f" : median < SMALL ? "%.3f ± %.3f" : "%,.1f ± %,.1f";
    String text = String.format(Locale.ROOT, format, median, metric.inTableUnit(score.error()));
    return score.rounds() > 1 ? text : text.substring(0, text.indexOf(' '));
  }
}
