package dev.weir.lab.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * A goal of one figure: the most that it may be.
 *
 * @param measured in the goal's unit; null if there is no such figure
 * @param decimals how many of the figure are shown, rounded up, so that it shows what is too much
 */
public record UpperBound(String title, @Nullable Double measured, double atMost, int decimals) {

  /** Whether the figure is at most that. */
  public Outcome outcome() {
    if (measured == null) {
      return Outcome.NOT_MEASURED;
    }
    return measured <= atMost ? Outcome.REACHED : Outcome.MISSED;
  }

  /**
   * A table with a line for each goal, and a line that counts; empty if there is none.
   *
   * @param measured whose figures they are
   */
  public static String render(String measured, List<UpperBound> goals, Ansi ansi) {
    if (goals.isEmpty()) {
      return "";
    }
    TextTable table = new TextTable("goal", measured, "wanted", "");
    goals.forEach(goal -> goal.addTo(table));
    return table.render(ansi) + Outcome.count(goals.stream().map(UpperBound::outcome).toList());
  }

  /** As fields of JSON. */
  public Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("goal", title);
    map.put("measured", measured);
    map.put("shown", shown());
    map.put("most", atMost);
    map.put("outcome", outcome().word());
    return map;
  }

  private String shown() {
    return measured == null
        ? "-"
        : BigDecimal.valueOf(measured).setScale(decimals, RoundingMode.CEILING).toPlainString();
  }

  private void addTo(TextTable table) {
    String most = BigDecimal.valueOf(atMost).stripTrailingZeros().toPlainString();
    table.add(title, shown(), "at most " + most, outcome().cell());
  }
}
