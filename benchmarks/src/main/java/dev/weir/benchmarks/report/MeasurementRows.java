package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Effort;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Metric;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Measurements as JSON: an object for each cell and peer. */
public final class MeasurementRows {
  private MeasurementRows() {}

  /**
   * Writes them to a file, one object a line, which is replaced when they are written.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, List<Measurement> measurements) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Map<String, Object> row : rows(measurements)) {
      text.append(JSON.std.asString(row)).append('\n');
    }
    WholeFile.write(file, text);
  }

  /** The objects, in the order of cells and peers. */
  public static List<Map<String, Object>> rows(List<Measurement> measurements) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Measurement measurement : measurements) {
      measurement.scores().forEach((peer, scores) -> rows.add(row(measurement, peer, scores)));
    }
    return rows;
  }

  private static Map<String, Object> row(
      Measurement measurement, Peer peer, Map<Metric, Score> scores) {
    Cell cell = measurement.cell();
    Effort effort = measurement.conditions().effort();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("suite", cell.suite());
    row.putAll(cell.parameters());
    String sizes = cell.parameters().get("sizes");
    if (sizes != null) {
      SizeMix.oneSize(sizes).ifPresent(bytes -> row.put("bytes", bytes));
    }
    row.put("thread", cell.thread().label());
    row.put("threads", cell.threads());
    row.put("leakDetection", cell.leakDetection().label());
    row.put("jit", measurement.conditions().jit().label());
    row.put("allocator", peer.label());
    scores.forEach((metric, score) -> {
      row.put(metric.field(), rounded(score.median()));
      row.put(metric.field() + "Min", rounded(score.min()));
      row.put(metric.field() + "Max", rounded(score.max()));
    });
    Score time = scores.get(Metric.NS_PER_OP);
    if (time != null) {
      row.put("error", rounded(time.error()));
    }
    if (peer == Peer.WEIR) {
      for (Ratio ratio : Ratio.among(List.copyOf(measurement.scores().keySet()))) {
        ratio
            .of(measurement, Metric.NS_PER_OP)
            .ifPresent(times -> row.put(ratio.field(), rounded(times)));
      }
    }
    row.put("rounds", scores.values().iterator().next().rounds());
    row.put("warmups", effort.warmups());
    row.put("iterations", effort.measurements());
    row.put("iterationMillis", effort.iteration().toMillis());
    return row;
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
