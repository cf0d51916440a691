package dev.weir.lab.report;

import dev.weir.lab.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a run leaves: {@code report.html}, {@code report.json} and {@code report.csv}. */
public final class LabReport {
  /** The field of a row that a chart is drawn from: seconds, resident and live of each point. */
  public static final String SERIES = "series";

  /** The field of a row with goals: a list of objects with goal, measured, most and outcome. */
  public static final String GOALS = "goals";

  private LabReport() {}

  /**
   * What is said of the run as a whole.
   *
   * @param command as it was given
   * @param machine processors, memory, kernel and Java
   * @param begun when
   * @param planned how many rows there were to be
   */
  public record Head(String command, String machine, String begun, int planned) {
    /** Of a run that begins now. */
    public static Head now(String command, int planned) {
      String begun = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      return new Head(command, Machine.describe(), begun, planned);
    }
  }

  /**
   * Writes the three files, replacing older ones.
   *
   * @param complete whether all rows that were planned are there
   * @throws IOException if they cannot be written
   */
  public static void write(
      Path folder, Head head, List<Map<String, @Nullable Object>> rows, boolean complete)
      throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("command", head.command());
    json.put("machine", head.machine());
    json.put("begun", head.begun());
    json.put("planned", head.planned());
    json.put("complete", complete);
    json.put("rows", rows);
    WholeFile.write(folder.resolve("report.json"), JsonLines.line(json) + "\n");
    WholeFile.write(folder.resolve("report.csv"), csv(rows));
    WholeFile.write(folder.resolve("report.html"), LabPage.render(head, rows, complete));
  }

  /** The row without its chart's points. */
  public static Map<String, @Nullable Object> withoutSeries(Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> without = new LinkedHashMap<>(row);
    without.remove(SERIES);
    return without;
  }

  /** Each field that is a number, a truth value or a text in any row is a column (RFC 4180). */
  public static String csv(List<Map<String, @Nullable Object>> rows) {
    Set<String> columns = new LinkedHashSet<>();
    for (Map<String, @Nullable Object> row : rows) {
      row.forEach((name, value) -> {
        if (value instanceof Number || value instanceof Boolean || value instanceof String) {
          columns.add(name);
        }
      });
    }
    StringBuilder text = new StringBuilder(String.join(",", columns)).append('\n');
    for (Map<String, @Nullable Object> row : rows) {
      List<String> cells = new ArrayList<>();
      for (String column : columns) {
        cells.add(cell(row.get(column)));
      }
      text.append(cells.stream().collect(Collectors.joining(","))).append('\n');
    }
    return text.toString();
  }

  private static String cell(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    return text.matches("[^\",\\n\\r]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
