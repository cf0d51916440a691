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

  /** A table of one trace's rows. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "refused",
            "seconds",
            "faults",
            "live",
            "pages",
            "resident",
            "RSS",
            "resident/live",
            "mean",
            "RSS/live",
            "mean",
            "beyond",
            "idle live",
            "idle",
            "idle RSS",
            "idle/live");
    for (Map<String, @Nullable Object> row : rows) {
      table.add(
          String.valueOf(row.get("allocator")),
          refusals(row),
          number(row.get("seconds"), 2),
          faults(row),
          mib(row.get("peakLiveBytes")),
          mib(row.get("peakPageBytes")),
          mib(row.get("peakResidentBytes")),
          mib(row.get("peakRssBytes")),
          number(row.get("peakRatio"), 3),
          number(row.get("meanRatio"), 3),
          number(row.get("peakRssRatio"), 3),
          number(row.get("meanRssRatio"), 3),
          mib(row.get("peakBeyondPagesBytes")),
          mib(idle(row, "liveBytes")),
          mib(idle(row, "residentBytes")),
          mib(idle(row, "rssBytes")),
          number(idle(row, "ratio"), 2));
    }
    StringBuilder notes = new StringBuilder();
    for (Map<String, @Nullable Object> row : rows) {
      addNotes(row, notes);
    }
    return table.render(ansi) + notes;
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
      if (row.get("refusals") instanceof Number refusals && refusals.longValue() > 0) {
        notes.append(
            "%s refused %s blocks, %s of them within its bound\n"
                .formatted(allocator, refusals, row.get("refusalsWithinBound")));
      }
    }
  }

  /** Why a row is missing. */
  static String leftOut(ReplayOutcome outcome) {
    return outcome.contender().label() + " is left out: " + outcome.missing();
  }

  private static String refusals(Map<String, @Nullable Object> row) {
    boolean none = row.get("refusals") instanceof Number number && number.longValue() == 0;
    return none ? "0" : "@|red " + row.get("refusals") + "|@";
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
