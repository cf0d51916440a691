package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.peer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import picocli.CommandLine.Help.Ansi;

/**
 * Measurements as people read them: a line for each cell, nanoseconds per operation as the median
 * of the rounds with half their spread, and how many times faster Weir is than the fastest other
 * peer of the same run.
 */
public final class MeasurementTable {
  private static final String GAP = "   ";
  private static final int TEXT_COLUMNS = 1;

  private MeasurementTable() {}

  /** The whole table; every line ends with a line end. */
  public static String render(List<Measurement> measurements, List<Peer> peers, Ansi ansi) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(titles(peers));
    measurements.forEach(measurement -> rows.add(row(measurement, peers)));
    return align(rows, ansi);
  }

  private static List<String> titles(List<Peer> peers) {
    List<String> titles = new ArrayList<>(List.of("ns/op", "bytes", "threads", "leak detection"));
    peers.forEach(peer -> titles.add(peer.label()));
    titles.add("times faster");
    return titles;
  }

  private static List<String> row(Measurement measurement, List<Peer> peers) {
    Cell cell = measurement.cell();
    List<String> row = new ArrayList<>();
    row.add(cell.pattern());
    row.add(Integer.toString(cell.bytes()));
    row.add(cell.thread().label());
    row.add(cell.leakDetection().label());
    for (Peer peer : peers) {
      Score score = measurement.scores().get(peer);
      row.add(
          score == null
              ? "-"
              : String.format(Locale.ROOT, "%.1f ± %.1f", score.nsPerOp(), score.error()));
    }
    OptionalDouble ratio = timesFaster(measurement);
    row.add(
        ratio.isEmpty()
            ? "-"
            : "@|bold " + String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) + "|@");
    return row;
  }

  /** The fastest other peer's time over Weir's; empty unless both were measured. */
  static OptionalDouble timesFaster(Measurement measurement) {
    Score weir = measurement.scores().get(Peer.WEIR);
    OptionalDouble fastest =
        measurement.scores().entrySet().stream()
            .filter(entry -> entry.getKey() != Peer.WEIR)
            .mapToDouble(entry -> entry.getValue().nsPerOp())
            .min();
    return weir == null || fastest.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(fastest.getAsDouble() / weir.nsPerOp());
  }

  private static String align(List<List<String>> rows, Ansi ansi) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int column = 0; column < columns; column++) {
        widths[column] = Math.max(widths[column], plain(row.get(column)).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < columns; column++) {
        String padding = " ".repeat(widths[column] - plain(row.get(column)).length());
        String cell = ansi.string(row.get(column));
        line.append(column < TEXT_COLUMNS ? cell + padding : GAP + padding + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String plain(String cell) {
    return Ansi.OFF.string(cell);
  }
}
