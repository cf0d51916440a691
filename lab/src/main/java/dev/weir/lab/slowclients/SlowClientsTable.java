package dev.weir.lab.slowclients;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows as people read them. */
final class SlowClientsTable {
  private static final String UNKNOWN = "-";

  private SlowClientsTable() {}

  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "",
            "clients",
            "ok",
            "seconds",
            "least",
            "live",
            "peak MiB",
            "RSS MiB",
            "small p99 ms",
            "max",
            "lost");
    StringBuilder failures = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      boolean allOk = Objects.equals(row.get("failed"), 0);
      table.add(
          String.valueOf(row.get("allocator")),
          String.valueOf(row.get("direction")),
          cell(allOk, row.get("ok") + "/" + row.get("requests")),
          String.valueOf(row.get("seconds")),
          String.valueOf(row.get("leastSeconds")),
          mib(row.get("liveBytes")),
          mib(row.get("peakResidentBytes")),
          mib(row.get("peakRssBytes")),
          String.valueOf(row.get("smallP99Millis")),
          String.valueOf(row.get("smallMaxMillis")),
          cell(Objects.equals(row.get("smallLost"), 0), String.valueOf(row.get("smallLost"))));
      if (!allOk) {
        failures
            .append(
                "%s %s: %s"
                    .formatted(row.get("allocator"), row.get("direction"), row.get("failures")))
            .append(row.get("firstFailure") == null ? "" : "; first: " + row.get("firstFailure"))
            .append('\n');
      }
    }
    return table.render(ansi) + (failures.isEmpty() ? "" : "\n" + failures);
  }

  private static String mib(@Nullable Object bytes) {
    return bytes instanceof Number number ? Bytes.mib(number.longValue()) : UNKNOWN;
  }

  private static String cell(boolean good, String text) {
    return "@|" + (good ? "green" : "red") + " " + text + "|@";
  }
}
