package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.report.Goal.Verdict;
import dev.weir.lab.report.TextTable;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Help.Ansi;

/** What was to be reached in a run, and what was: a line for each goal. */
public final class GoalTable {
  private GoalTable() {}

  /** The table and a line that counts; empty if nothing that was measured has a goal. */
  public static String render(List<Measurement> measurements, Ansi ansi) {
    TextTable table =
        new TextTable(
            "goal", "threads", "leak detection", "", "weir", "other", "ratio", "wanted", "");
    int goals = 0;
    int reached = 0;
    for (Measurement measurement : measurements) {
      Cell cell = measurement.cell();
      for (Goal goal : Goals.of(cell)) {
        Optional<Verdict> verdict = goal.judge(measurement, measurements);
        if (verdict.isPresent()) {
          goals++;
          reached += verdict.get().reached() ? 1 : 0;
          table.add(
              cell.suite() + " " + String.join(" ", cell.parameters().values()),
              cell.threadsText(),
              cell.leakDetection().label(),
              goal.title(),
              verdict.get().weir(),
              verdict.get().other(),
              verdict.get().ratio(),
              verdict.get().goal(),
              verdict.get().reached() ? "@|green reached|@" : "@|red missed|@");
        }
      }
    }
    return goals == 0
        ? ""
        : table.render(ansi) + "%d of %d goals are reached%n".formatted(reached, goals);
  }
}
