package dev.weir.lab.replay;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.report.TextTable;
import dev.weir.lab.trace.synthetic.SyntheticTrace;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * What Weir is to reach in the traces that are made from a seed, as large as they are described,
 * and whether it did: a line for each goal.
 */
final class ReplayGoals {
  private static final double MIB = 1 << 20;

  private ReplayGoals() {}

  /**
   * A figure and the most that it may be.
   *
   * @param measured in the goal's unit, ratios as rows have them, to four digits; null if there is
   *     no such figure
   * @param decimals how many of the figure are shown, rounded up, so that it shows what is too much
   */
  private record Goal(String title, @Nullable Double measured, double atMost, int decimals) {
    boolean isReached() {
      return measured != null && measured <= atMost;
    }

    void addTo(TextTable table) {
      String shown =
          measured == null
              ? "-"
              : BigDecimal.valueOf(measured)
                  .setScale(decimals, RoundingMode.CEILING)
                  .toPlainString();
      String most = BigDecimal.valueOf(atMost).stripTrailingZeros().toPlainString();
      String outcome =
          measured == null ? "not measured" : isReached() ? "@|green reached|@" : "@|red missed|@";
      table.add(title, shown, "at most " + most, outcome);
    }
  }

  /** The table and a line that counts; empty if no row has a goal. */
  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    List<Goal> goals = rows.stream().flatMap(row -> of(row).stream()).toList();
    if (goals.isEmpty()) {
      return "";
    }
    TextTable table = new TextTable("goal", Contender.WEIR.label(), "wanted", "");
    goals.forEach(goal -> goal.addTo(table));
    long reached = goals.stream().filter(Goal::isReached).count();
    return table.render(ansi) + "%d of %d goals are reached\n".formatted(reached, goals.size());
  }

  private static List<Goal> of(Map<String, @Nullable Object> row) {
    Optional<SyntheticTrace> trace = SyntheticTrace.of(String.valueOf(row.get("trace")));
    boolean isWeir = Contender.WEIR.label().equals(row.get("allocator"));
    boolean isWhole = row.get("scale") instanceof Number scale && scale.doubleValue() == 1;
    if (!isWeir || !isWhole || trace.isEmpty()) {
      return List.of();
    }
    List<Goal> goals = new ArrayList<>();
    switch (trace.get()) {
      case CACHE -> {
        goals.add(new Goal("resident/live", figure(row, "peakRatio"), 1.1, 4));
        goals.add(new Goal("resident/live, mean", figure(row, "meanRatio"), 1.05, 4));
        goals.add(idleRatio(row));
      }
      case DROP -> {
        goals.add(idleRatio(row));
        addBeyond(row, goals);
      }
      case RENEWAL, SURVIVORS_SMALL, MIXED -> addBeyond(row, goals);
      case CHURN_1M -> {
        addBeyond(row, goals);
        goals.add(new Goal("faults", faults(row), 10, 1));
      }
    }
    if (row.get("budgetBytes") != null) {
      goals.add(new Goal("refusals within bound", figure(row, "refusalsWithinBound"), 0, 0));
    }
    return goals;
  }

  private static Goal idleRatio(Map<String, @Nullable Object> row) {
    return new Goal("idle/live", figure(idle(row), "ratio"), 1.5, 4);
  }

  private static void addBeyond(Map<String, @Nullable Object> row, List<Goal> goals) {
    goals.add(beyond("beyond, MiB", figure(row, "peakBeyondPagesBytes")));
    goals.add(beyond("idle beyond, MiB", figure(idle(row), "beyondPagesBytes")));
  }

  private static Goal beyond(String title, @Nullable Double bytes) {
    return new Goal(title, bytes == null ? null : bytes / MIB, 4, 2);
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

  private static @Nullable Double figure(Map<?, ?> row, String name) {
    return row.get(name) instanceof Number number ? number.doubleValue() : null;
  }
}
