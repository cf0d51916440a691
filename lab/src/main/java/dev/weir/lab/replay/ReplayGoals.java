package dev.weir.lab.replay;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.report.UpperBound;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * What Weir is to reach, and whether it did: a line for each goal. The traces that are made from a
 * seed have goals of their own, as large as they are described. A recorded one has those of {@link
 * RecordedGoals}.
 */
final class ReplayGoals {
  private static final double MIB = 1 << 20;

  /** What the replay itself may cost. */
  private static final double MOST_OWN_NANOS = 10;

  private ReplayGoals() {}

  /** The table and a line that counts; empty if no row has a goal. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    return UpperBound.render(Contender.WEIR.label(), all(rows), ansi);
  }

  /** Puts the goals of one trace's rows into the first of them, for reports. */
  static void judge(List<Map<String, @Nullable Object>> rows) {
    List<UpperBound> goals = all(rows);
    if (!goals.isEmpty()) {
      rows.getFirst().put(LabReport.GOALS, goals.stream().map(UpperBound::toMap).toList());
    }
  }

  private static List<UpperBound> all(List<Map<String, @Nullable Object>> rows) {
    List<UpperBound> goals = new ArrayList<>();
    for (Map<String, @Nullable Object> row : rows) {
      goals.addAll(of(row));
    }
    goals.addAll(RecordedGoals.of(rows));
    Map<String, @Nullable Object> none = rowOf(Contender.NONE, rows);
    if (!none.isEmpty()) {
      Double nanos = figure(none, "nanosPerEvent");
      goals.add(new UpperBound("none: ns an event", nanos, MOST_OWN_NANOS, 1));
    }
    return goals;
  }

  private static List<UpperBound> of(Map<String, @Nullable Object> row) {
    Optional<SyntheticTrace> trace = SyntheticTrace.of(String.valueOf(row.get("trace")));
    boolean isDense = Contender.WEIR_DENSE.label().equals(row.get("allocator"));
    boolean isWeir = isDense || Contender.WEIR.label().equals(row.get("allocator"));
    boolean isWhole = row.get("scale") instanceof Number scale && scale.doubleValue() == 1;
    if (!isWeir || !isWhole || trace.isEmpty()) {
      return List.of();
    }
    String preset = isDense ? "dense: " : "";
    List<UpperBound> goals = new ArrayList<>();
    if (trace.get() == SyntheticTrace.CACHE) {
      double peak = isDense ? 1.1 : 1.25;
      double mean = isDense ? 1.05 : 1.15;
      goals.add(new UpperBound(preset + "resident/live", figure(row, "peakRatio"), peak, 4));
      goals.add(new UpperBound(preset + "resident/live, mean", figure(row, "meanRatio"), mean, 4));
    } else {
      if (isDense) {
        goals.add(beyond(preset + "beyond, MiB", figure(row, "peakBeyondPagesBytes")));
      }
      goals.add(beyond(preset + "idle beyond, MiB", figure(idle(row), "beyondPagesBytes")));
    }
    if (trace.get() == SyntheticTrace.CACHE || trace.get() == SyntheticTrace.DROP) {
      goals.add(new UpperBound(preset + "idle/live", figure(idle(row), "ratio"), 1.5, 4));
    }
    if (trace.get() == SyntheticTrace.CHURN_1M) {
      goals.add(new UpperBound(preset + "faults", faults(row), 10, 1));
    }
    if (row.get("budgetBytes") != null) {
      goals.add(
          new UpperBound(
              preset + "refusals within bound", figure(row, "refusalsWithinBound"), 0, 0));
    }
    return goals;
  }

  /** Empty if there is none. */
  static Map<String, @Nullable Object> rowOf(
      Contender contender, List<Map<String, @Nullable Object>> rows) {
    return rows.stream()
        .filter(row -> contender.label().equals(row.get("allocator")))
        .findFirst()
        .orElse(Map.of());
  }

  private static UpperBound beyond(String title, @Nullable Double bytes) {
    return new UpperBound(title, bytes == null ? null : bytes / MIB, 4, 2);
  }

  /** Per 1,000 allocations. */
  static @Nullable Double faults(Map<String, @Nullable Object> row) {
    Double faults = figure(row, "pageFaults");
    Double allocations = figure(row, "allocations");
    return faults == null || allocations == null || allocations == 0
        ? null
        : 1000 * faults / allocations;
  }

  static Map<?, ?> idle(Map<String, @Nullable Object> row) {
    return row.get("idle") instanceof Map<?, ?> idle ? idle : Map.of();
  }
}
