package dev.weir.lab.scenario;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.UpperBound;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads rows for tables. */
public final class Rows {
  private static final String UNKNOWN = "-";

  private Rows() {}

  /** Whether a row is of the scenario, and has figures. */
  public static boolean isMeasured(Map<String, @Nullable Object> row, String scenario) {
    return scenario.equals(row.get("scenario")) && !row.containsKey(ScenarioRun.PROBLEM);
  }

  /** A field as it is. */
  public static String text(Map<String, @Nullable Object> row, String field) {
    return Objects.toString(row.get(field), UNKNOWN);
  }

  /** A field of bytes in MiB. */
  public static String mib(Map<String, @Nullable Object> row, String field) {
    return row.get(field) instanceof Number bytes ? Bytes.mib(bytes.longValue()) : UNKNOWN;
  }

  /** A goal of a row: the most that a field of it may be. */
  public static UpperBound atMost(Map<String, @Nullable Object> row, String field, double most) {
    return new UpperBound(text(row, "allocator") + ": " + field, figure(row, field), most, 2);
  }

  /** A line for each row of the scenario that has no figures. */
  public static String problems(List<Map<String, @Nullable Object>> rows, String scenario) {
    return rows.stream()
        .filter(row -> scenario.equals(row.get("scenario")))
        .filter(row -> row.containsKey(ScenarioRun.PROBLEM))
        .map(row ->
            "%s is left out: %s%n"
                .formatted(text(row, "allocator"), text(row, ScenarioRun.PROBLEM)))
        .collect(Collectors.joining());
  }
}
