package dev.weir.lab.slowclients;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.report.UpperBound;
import dev.weir.lab.subject.Subject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * What Weir is to reach with the clients that are described, and whether it did: a line for each
 * goal.
 */
final class SlowClientsGoals {
  private static final double MIB = 1 << 20;
  private static final double LIMIT_MIB = SlowClientsPlan.LIMIT_BYTES / MIB;
  private static final double MOST_TIMES_LEAST = 1.3;
  private static final double MOST_SMALL_P99_MILLIS = 100;

  private SlowClientsGoals() {}

  /** The table and a line that counts; empty if Weir is in no row. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    List<UpperBound> goals =
        rows.stream()
            .filter(row -> Subject.WEIR.label().equals(row.get("allocator")))
            .flatMap(row -> of(row).stream())
            .toList();
    return UpperBound.render(Subject.WEIR.label(), goals, ansi);
  }

  private static List<UpperBound> of(Map<String, @Nullable Object> row) {
    String title = row.get("direction") + ": ";
    return List.of(
        new UpperBound(title + "peak MiB", mib(row, "peakResidentBytes"), LIMIT_MIB, 1),
        new UpperBound(title + "RSS MiB", mib(row, "peakRssBytes"), LIMIT_MIB, 1),
        new UpperBound(title + "seconds/least", timesLeast(row), MOST_TIMES_LEAST, 3),
        new UpperBound(
            title + "small p99 ms", figure(row, "smallP99Millis"), MOST_SMALL_P99_MILLIS, 2),
        new UpperBound(title + "lost", lost(row), 0, 0));
  }

  private static @Nullable Double mib(Map<String, @Nullable Object> row, String name) {
    Double bytes = figure(row, name);
    return bytes == null ? null : bytes / MIB;
  }

  private static @Nullable Double timesLeast(Map<String, @Nullable Object> row) {
    Double seconds = figure(row, "seconds");
    Double least = figure(row, "leastSeconds");
    return seconds == null || least == null ? null : seconds / least;
  }

  /** Slow requests that failed, and small ones. */
  private static @Nullable Double lost(Map<String, @Nullable Object> row) {
    Double failed = figure(row, "failed");
    Double small = figure(row, "smallLost");
    return failed == null || small == null ? null : failed + small;
  }
}
