package dev.weir.lab.replay;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of one allocator.
 *
 * @param label the allocator
 * @param row the figures as fields of JSON; empty if it was missing
 * @param samples for a chart: progress, live, pages, resident and Rss of each
 * @param phases for a chart: the label of each and the progress at which it began
 * @param missing why it could not be replayed; null if it was
 */
record ReplayOutcome(
    String label,
    Map<String, @Nullable Object> row,
    List<?> samples,
    List<?> phases,
    @Nullable String missing) {

  static ReplayOutcome missing(String label, String reason) {
    return new ReplayOutcome(label, Map.of(), List.of(), List.of(), reason);
  }

  static ReplayOutcome of(
      String label, Map<String, @Nullable Object> row, Map<String, Object> said) {
    return new ReplayOutcome(
        label, row, list(said, ReplayChild.CHART), list(said, ReplayChild.CHART_PHASES), null);
  }

  private static List<?> list(Map<String, Object> said, String key) {
    return said.get(key) instanceof List<?> list ? list : List.of();
  }
}
