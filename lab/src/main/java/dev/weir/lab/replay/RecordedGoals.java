package dev.weir.lab.replay;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.report.UpperBound;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What Weir is to reach in a service's own trace: as fast as the better of Netty's allocators,
 * about as few faults as the pooled one, no more held than with the dense preset once the service
 * is idle. Within a budget of {@link #LEAST_BUDGET} it refuses nothing, and keeps close to what is
 * live. Each goal needs the rows that it is measured by.
 */
final class RecordedGoals {
  /** With so much at least, it has to refuse nothing, and to be dense. */
  private static final Budget LEAST_BUDGET = new Budget(0, 1.15);

  private static final double ALLOWED_BYTES = 4 << 20;

  private RecordedGoals() {}

  static List<UpperBound> of(List<Map<String, @Nullable Object>> rows) {
    Map<String, @Nullable Object> weir = ReplayGoals.rowOf(Contender.WEIR, rows);
    Map<String, @Nullable Object> dense = ReplayGoals.rowOf(Contender.WEIR_DENSE, rows);
    Map<String, @Nullable Object> either = weir.isEmpty() ? dense : weir;
    if (either.isEmpty() || SyntheticTrace.of(String.valueOf(either.get("trace"))).isPresent()) {
      return List.of();
    }
    List<UpperBound> goals = new ArrayList<>();
    goals.addAll(ofMemory(weir, "", 1.25, 1.15));
    goals.addAll(ofMemory(dense, "dense: ", 1.10, 1.05));
    if (!weir.isEmpty()) {
      goals.addAll(ofSpeed(weir, rows));
    }
    if (!weir.isEmpty() && !dense.isEmpty()) {
      Double idle = figure(ReplayGoals.idle(weir), "residentBytes");
      Double idleDense = figure(ReplayGoals.idle(dense), "residentBytes");
      goals.add(times("idle / dense's", idle, idleDense, 1));
    }
    return goals;
  }

  private static List<UpperBound> ofMemory(
      Map<String, @Nullable Object> row, String preset, double peak, double mean) {
    Double budget = figure(row, "budgetBytes");
    Double live = figure(row, "peakLiveBytes");
    if (budget == null || live == null || budget < LEAST_BUDGET.bytes(live.longValue())) {
      return List.of();
    }
    return List.of(
        new UpperBound(preset + "refused", figure(row, "refusals"), 0, 0),
        beyondAllowed(preset + "(peak - 4 MiB) / peak live", row, "peakResidentBytes", live, peak),
        beyondAllowed(
            preset + "(mean - 4 MiB) / mean live",
            row,
            "meanResidentBytes",
            figure(row, "meanLiveBytes"),
            mean));
  }

  private static UpperBound beyondAllowed(
      String title,
      Map<String, @Nullable Object> row,
      String field,
      @Nullable Double live,
      double atMost) {
    Double held = figure(row, field);
    return times(title, held == null ? null : Math.max(0, held - ALLOWED_BYTES), live, atMost);
  }

  private static List<UpperBound> ofSpeed(
      Map<String, @Nullable Object> weir, List<Map<String, @Nullable Object>> rows) {
    Map<String, @Nullable Object> pooled = ReplayGoals.rowOf(Contender.NETTY_POOLED, rows);
    Map<String, @Nullable Object> adaptive = ReplayGoals.rowOf(Contender.NETTY_ADAPTIVE, rows);
    List<UpperBound> goals = new ArrayList<>();
    if (!pooled.isEmpty()) {
      goals.add(
          times("faults / pooled's", ReplayGoals.faults(weir), ReplayGoals.faults(pooled), 1.2));
    }
    if (!pooled.isEmpty() || !adaptive.isEmpty()) {
      DoubleStream nettys =
          Stream.of(figure(pooled, "nanosPerEvent"), figure(adaptive, "nanosPerEvent"))
              .filter(Objects::nonNull)
              .mapToDouble(Double::doubleValue);
      double better = nettys.min().orElse(0);
      goals.add(times("ns / Netty's better", figure(weir, "nanosPerEvent"), better, 1));
    }
    return goals;
  }

  private static UpperBound times(
      String title, @Nullable Double measured, @Nullable Double base, double atMost) {
    Double times = measured == null || base == null || base == 0 ? null : measured / base;
    return new UpperBound(title, times, atMost, 3);
  }
}
