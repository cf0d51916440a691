package dev.weir.benchmarks.streams;

import dev.weir.benchmarks.harness.Score;
import dev.weir.lab.report.Outcome;
import dev.weir.lab.report.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi;

/** What was measured, as tables for people and as rows of JSON. */
public final class StreamsReport {
  private static final String NOTHING = "-";
  private static final double LARGE = 1_000;

  private StreamsReport() {}

  /**
   * A line for each row and metric, and then the goals.
   *
   * @param missing why servers are not there, by name
   */
  public static String text(
      List<StreamsMeasurement> run, List<String> servers, Map<String, String> missing, Ansi ansi) {
    List<String> titles = new ArrayList<>(List.of("row", "", "rounds"));
    titles.addAll(servers);
    missing.keySet().forEach(titles::add);
    TextTable table = new TextTable(titles.toArray(String[]::new));
    for (StreamsMeasurement measurement : run) {
      for (StreamsMetric metric : StreamsMetric.values()) {
        List<Optional<Score>> scores =
            servers.stream().map(server -> measurement.score(server, metric)).toList();
        Optional<Score> first = scores.stream().flatMap(Optional::stream).findFirst();
        if (first.isPresent()) {
          List<String> cells =
              new ArrayList<>(
                  List.of(
                      measurement.row().label(),
                      metric.title(),
                      Integer.toString(first.get().rounds())));
          scores.forEach(score -> cells.add(score.map(StreamsReport::text).orElse(NOTHING)));
          missing.keySet().forEach(server -> cells.add("missing"));
          table.add(cells.toArray(String[]::new));
        }
      }
    }
    StringBuilder text = new StringBuilder(table.render(ansi));
    missing.values().forEach(reason -> text.append(reason).append('\n'));
    for (StreamsMeasurement measurement : run) {
      measurement.failures().values().forEach(reason -> text.append(reason).append('\n'));
    }
    return text.append(goals(run, ansi)).toString();
  }

  private static String text(Score score) {
    String format = score.median() >= LARGE ? "%,.0f ± %,.0f" : "%.2f ± %.2f";
    return String.format(Locale.ROOT, format, score.median(), score.error());
  }

  private static String goals(List<StreamsMeasurement> run, Ansi ansi) {
    TextTable table = new TextTable("goal", "", "weir", "other", "ratio", "wanted", "");
    List<Outcome> outcomes = new ArrayList<>();
    for (StreamsGoal goal : StreamsGoal.ALL) {
      goal.judge(run)
          .ifPresent(verdict -> {
            outcomes.add(verdict.outcome());
            table.add(
                goal.row().label(),
                goal.metric().title(),
                verdict.weir(),
                verdict.other(),
                verdict.ratio(),
                verdict.goal(),
                verdict.outcome().cell());
          });
    }
    return outcomes.isEmpty() ? "" : "\n" + table.render(ansi) + Outcome.count(outcomes);
  }

  /**
   * An object for each row and server, and one with the reason for each server that is missing, or
   * that has failed in a row.
   *
   * @param load how appends were made
   */
  public static List<Map<String, Object>> rows(
      List<StreamsMeasurement> run,
      StreamsEffort effort,
      String load,
      Map<String, String> missing) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (StreamsMeasurement measurement : run) {
      for (String server : measurement.servers()) {
        rows.add(row(measurement, server, effort, load));
      }
      measurement
          .failures()
          .forEach((server, reason) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("suite", "streams");
            row.put("row", measurement.row().label());
            row.put("server", server);
            row.put("failed", reason);
            rows.add(row);
          });
    }
    missing.forEach((server, reason) -> {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("suite", "streams");
      row.put("server", server);
      row.put("missing", reason);
      rows.add(row);
    });
    return rows;
  }

  private static Map<String, Object> row(
      StreamsMeasurement measurement, String server, StreamsEffort effort, String load) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("suite", "streams");
    row.put("row", measurement.row().label());
    row.put("bytes", measurement.row().bytes());
    row.put("streams", measurement.row().streams());
    row.put("readers", measurement.row().readers());
    row.put("load", load);
    row.put("server", server);
    for (StreamsMetric metric : StreamsMetric.values()) {
      measurement
          .score(server, metric)
          .ifPresent(score -> {
            row.put(metric.field(), rounded(score.median()));
            row.put(metric.field() + "Min", rounded(score.min()));
            row.put(metric.field() + "Max", rounded(score.max()));
            row.put("rounds", score.rounds());
          });
    }
    row.put("iterations", 1);
    row.put("iterationMillis", effort.measured().toMillis());
    row.put("historyPieces", effort.pieces());
    row.put("messages", effort.messages());
    return row;
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
