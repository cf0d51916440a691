package dev.weir.lab.replay;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of replays as people read them. */
final class ReplayTable {
  private static final String UNKNOWN = "-";

  private ReplayTable() {}

  /** One trace's rows: what was held, what that is for each live byte, and what columns lack. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    StringBuilder notes = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      addNotes(row, notes);
    }
    return held(rows).render(ansi) + perLiveAndIdle(rows).render(ansi) + notes;
  }

  private static TextTable held(List<Map<String, @Nullable Object>> rows) {
    TextTable table =
        new TextTable(
            "MiB",
            "refused",
            "within bound",
            "seconds",
            "ns/event",
            "faults",
            "live",
            "pages",
            "resident",
            "RSS",
            "beyond");
    for (Map<String, @Nullable Object> row : rows) {
      table.add(
          String.valueOf(row.get("allocator")),
          refusals(row.get("refusals")),
          refusals(row.get("refusalsWithinBound")),
          number(row.get("seconds"), 2),
          number(row.get("nanosPerEvent"), 1),
          faults(row),
          mib(row.get("peakLiveBytes")),
          mib(row.get("peakPageBytes")),
          mib(row.get("peakResidentBytes")),
          mib(row.get("peakRssBytes")),
          mib(row.get("peakBeyondPagesBytes")));
    }
    return table;
  }

  private static TextTable perLiveAndIdle(List<Map<String, @Nullable Object>> rows) {
    TextTable table =
        new TextTable(
            "MiB",
            "resident/live",
            "mean",
            "RSS/live",
            "mean",
            "idle live",
            "idle",
            "idle RSS",
            "idle/live",
            "idle beyond");
    for (Map<String, @Nullable Object> row : rows) {
      table.add(
          String.valueOf(row.get("allocator")),
          number(row.get("peakRatio"), 3),
          number(row.get("meanRatio"), 3),
          number(row.get("peakRssRatio"), 3),
          number(row.get("meanRssRatio"), 3),
          mib(idle(row, "liveBytes")),
          mib(idle(row, "residentBytes")),
          mib(idle(row, "rssBytes")),
          number(idle(row, "ratio"), 2),
          mib(idle(row, "beyondPagesBytes")));
    }
    return table;
  }

  /** What the columns have no room for. */
  private static void addNotes(Map<String, @Nullable Object> row, StringBuilder notes) {
    Object allocator = row.get("allocator");
    if (row.get("peak") instanceof Map<?, ?> peak) {
      notes.append(
          "%s at its highest resident/live: %s live + %s rounding + %s free slots + %s dirty\n"
              .formatted(
                  allocator,
                  mib(peak.get("liveBytes")),
                  mib(peak.get("roundingBytes")),
                  mib(peak.get("freeSlotBytes")),
                  mib(peak.get("dirtyBytes"))));
    }
  }

  /** Why a row is missing. */
  static String leftOut(ReplayOutcome outcome) {
    return outcome.label() + " is left out: " + outcome.missing();
  }

  private static String refusals(@Nullable Object count) {
    if (count instanceof Number number) {
      return number.longValue() == 0 ? "0" : "@|red " + number + "|@";
    }
    return UNKNOWN;
  }

  /** Page faults per 1,000 allocations. */
  private static String faults(Map<String, @Nullable Object> row) {
    return row.get("pageFaults") instanceof Number faults
            && row.get("allocations") instanceof Number allocations
            && allocations.longValue() > 0
        ? number(1000.0 * faults.longValue() / allocations.longValue(), 1)
        : UNKNOWN;
  }

  private static @Nullable Object idle(Map<String, @Nullable Object> row, String key) {
    return row.get("idle") instanceof Map<?, ?> idle ? idle.get(key) : null;
  }

  private static String mib(@Nullable Object bytes) {
    return bytes instanceof Number number ? Bytes.mib(number.longValue()) : UNKNOWN;
  }

  private static String number(@Nullable Object value, int decimals) {
    return value instanceof Number number
        ? String.format(Locale.ROOT, "%." + decimals + "f", number.doubleValue())
        : UNKNOWN;
  }
}
