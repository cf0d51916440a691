package dev.weir.lab.httpburst;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of a burst as people read them. */
final class HttpBurstTable {
  private static final String UNKNOWN = "-";

  private HttpBurstTable() {}

  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "ok",
            "failed",
            "seconds",
            "live",
            "peak",
            "peak RSS",
            "idle",
            "idle RSS",
            "excess");
    StringBuilder failures = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      boolean allOk = Objects.equals(row.get("failed"), 0);
      table.add(
          String.valueOf(row.get("allocator")),
          ansiCell(allOk ? "green" : "red", row.get("ok") + "/" + row.get("requests")),
          String.valueOf(row.get("failed")),
          String.valueOf(row.get("seconds")),
          mib(row.get("liveBytes")),
          mib(row.get("peakResidentBytes")),
          mib(row.get("peakRssBytes")),
          mib(row.get("idleResidentBytes")),
          mib(row.get("idleRssBytes")),
          mib(row.get("peakExcessBytes")));
      if (!allOk) {
        failures
            .append("%s: %s".formatted(row.get("allocator"), row.get("failures")))
            .append(row.get("firstFailure") == null ? "" : "; first: " + row.get("firstFailure"))
            .append('\n');
      }
    }
    return table.render(ansi) + (failures.isEmpty() ? "" : "\n" + failures);
  }

  private static String mib(@Nullable Object bytes) {
    return bytes instanceof Number number ? Bytes.mib(number.longValue()) : UNKNOWN;
  }

  private static String ansiCell(String colour, String text) {
    return "@|" + colour + " " + text + "|@";
  }
}
