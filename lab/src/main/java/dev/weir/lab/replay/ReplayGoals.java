package dev.weir.lab.replay;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.contender.Contender;
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
 * #ofRecorded}.
 */
final class ReplayGoals {
  private static final double MIB = 1 << 20;

  private ReplayGoals() {}

  /** The table and a line that counts; empty if no row has a goal. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    List<UpperBound> goals = new ArrayList<>();
    for (Map<String, @Nullable Object> row : rows) {
      goals.addAll(of(row));
    }
    goals.addAll(ofRecorded(rows));
    return UpperBound.render(Contender.WEIR.label(), goals, ansi);
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

  /**
   * In a service's own trace Weir is as fast as Netty's pooled allocator, faults about as rarely,
   * and holds no more than with the dense preset once the service is idle. Each goal needs the row
   * that it is measured by.
   */
  private static List<UpperBound> ofRecorded(List<Map<String, @Nullable Object>> rows) {
    Map<String, @Nullable Object> weir = rowOf(Contender.WEIR, rows);
    Map<String, @Nullable Object> dense = rowOf(Contender.WEIR_DENSE, rows);
    Map<String, @Nullable Object> pooled = rowOf(Contender.NETTY_POOLED, rows);
    if (weir.isEmpty() || SyntheticTrace.of(String.valueOf(weir.get("trace"))).isPresent()) {
      return List.of();
    }
    List<UpperBound> goals = new ArrayList<>();
    if (!pooled.isEmpty()) {
      goals.add(times("faults / pooled's", faults(weir), faults(pooled), 1.2));
      goals.add(times("seconds / pooled's", figure(weir, "seconds"), figure(pooled, "seconds"), 1));
    }
    if (!dense.isEmpty()) {
      Double idle = figure(idle(weir), "residentBytes");
      Double idleDense = figure(idle(dense), "residentBytes");
      goals.add(times("idle / dense's", idle, idleDense, 1));
    }
    return goals;
  }

  private static Map<String, @Nullable Object> rowOf(
      Contender contender, List<Map<String, @Nullable Object>> rows) {
    return rows.stream()
        .filter(row -> contender.label().equals(row.get("allocator")))
        .findFirst()
        .orElse(Map.of());
  }

  private static UpperBound times(
      String title, @Nullable Double measured, @Nullable Double base, double atMost) {
    Double times = measured == null || base == null || base == 0 ? null : measured / base;
    return new UpperBound(title, times, atMost, 3);
  }

  private static UpperBound beyond(String title, @Nullable Double bytes) {
    return new UpperBound(title, bytes == null ? null : bytes / MIB, 4, 2);
  }

  /** Per 1,000 allocations. */
  private static @Nullable Double faults(Map<String, @Nullable Object> row) {
    Double faults = figure(row, "pageFaults");
    Double allocations = figure(row, "allocations");
    return faults == null || allocations == null || allocations == 0
        ? null
        : 1000 * faults / allocations;
  }

  private static Map<?, ?> idle(Map<String, @Nullable Object> row) {
    return row.get("idle") instanceof Map<?, ?> idle ? idle : Map.of();
  }
}
