package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.harness.Score;
import dev.weir.benchmarks.peer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Measurements as JSON: one object a line for each cell and peer. */
public final class MeasurementRows {
  private MeasurementRows() {}

  /**
   * Writes them to a file, replacing it.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, List<Measurement> measurements) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Measurement measurement : measurements) {
      measurement
          .scores()
          .forEach((peer, score) ->
              text.append(JSON.std.asString(row(measurement.cell(), peer, score))).append('\n'));
    }
    Files.writeString(file, text);
  }

  static Map<String, Object> row(Cell cell, Peer peer, Score score) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("suite", cell.suite());
    row.put("pattern", cell.pattern());
    row.put("bytes", cell.bytes());
    row.put("thread", cell.thread().label());
    row.put("leakDetection", cell.leakDetection().label());
    row.put("allocator", peer.label());
    row.put("nsPerOp", rounded(score.nsPerOp()));
    row.put("error", rounded(score.error()));
    row.put("minNs", rounded(score.minNs()));
    row.put("maxNs", rounded(score.maxNs()));
    row.put("rounds", score.rounds());
    return row;
  }

  private static double rounded(double nanos) {
    return Math.round(nanos * 100) / 100.0;
  }
}
