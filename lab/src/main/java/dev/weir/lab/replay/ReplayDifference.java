package dev.weir.lab.replay;

import static dev.weir.lab.report.JsonLines.figure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What other settings of Weir changed, and what that comes from. */
final class ReplayDifference {
  private static final double MIB = 1 << 20;

  /** Less is not worth a word. */
  private static final double LEAST_MIB = 0.05;

  private ReplayDifference() {}

  /** A line for a row with other settings; empty for others, and without the row that it is of. */
  static String line(ReplaySubject subject, List<Map<String, @Nullable Object>> rows) {
    if (!(subject instanceof ReplaySubject.WhatIf whatIf)) {
      return "";
    }
    Map<String, @Nullable Object> base = rowOf(whatIf.base(), rows);
    Map<String, @Nullable Object> other = rowOf(whatIf.label(), rows);
    if (base.isEmpty() || other.isEmpty()) {
      return "";
    }
    return "%s against %s: %s; faults %s, ns an event %s%n"
        .formatted(
            whatIf.label(),
            whatIf.base(),
            memory(base, other),
            fromTo(figure(base, "pageFaults"), figure(other, "pageFaults"), 0),
            fromTo(figure(base, "nanosPerEvent"), figure(other, "nanosPerEvent"), 1));
  }

  private static String memory(
      Map<String, @Nullable Object> base, Map<String, @Nullable Object> other) {
    double more = mib(other, "meanResidentBytes") - mib(base, "meanResidentBytes");
    String mean =
        Math.abs(more) < LEAST_MIB
            ? "as much resident in the mean"
            : moreOrLess(more) + " resident in the mean";
    if (base.get("peak") instanceof Map<?, ?> before
        && other.get("peak") instanceof Map<?, ?> after) {
      return mean
          + "; at the highest resident/live "
          + part(before, after, "dirtyBytes", "free pages")
          + ", "
          + part(before, after, "freeSlotBytes", "free slots")
          + ", "
          + part(before, after, "roundingBytes", "rounding");
    }
    return mean;
  }

  private static String part(Map<?, ?> before, Map<?, ?> after, String field, String name) {
    double more = mib(after, field) - mib(before, field);
    return Math.abs(more) < LEAST_MIB ? "as much in " + name : moreOrLess(more) + " in " + name;
  }

  private static String moreOrLess(double mib) {
    return String.format(Locale.ROOT, "%.1f MiB %s", Math.abs(mib), mib < 0 ? "less" : "more");
  }

  private static String fromTo(@Nullable Double from, @Nullable Double to, int decimals) {
    String format = "%,." + decimals + "f";
    return from == null || to == null
        ? "-"
        : String.format(Locale.ROOT, format, from) + " → " + String.format(Locale.ROOT, format, to);
  }

  private static double mib(Map<?, ?> map, String field) {
    Double bytes = figure(map, field);
    return bytes == null ? 0 : bytes / MIB;
  }

  private static Map<String, @Nullable Object> rowOf(
      String label, List<Map<String, @Nullable Object>> rows) {
    return rows.stream()
        .filter(row -> label.equals(row.get("allocator")))
        .findFirst()
        .orElse(Map.of());
  }
}
