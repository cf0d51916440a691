package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.report.Goal.Verdict;
import dev.weir.lab.report.TextTable;
import java.util.ArrayList;
import java.util.Collections;
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
    List<Outcome> outcomes = new ArrayList<>();
    for (Measurement measurement : measurements) {
      Cell cell = measurement.cell();
      for (Goal goal : Goals.of(cell)) {
        Optional<Verdict> verdict = goal.judge(measurement, measurements);
        if (verdict.isPresent()) {
          outcomes.add(verdict.get().outcome());
          table.add(
              cell.suite() + " " + String.join(" ", cell.parameters().values()),
              cell.threadsText(),
              cell.leakDetection().label(),
              goal.title(),
              verdict.get().weir(),
              verdict.get().other(),
              verdict.get().ratio(),
              verdict.get().goal(),
              verdict.get().outcome().cell());
        }
      }
    }
    return outcomes.isEmpty() ? "" : table.render(ansi) + count(outcomes) + System.lineSeparator();
  }

  private static String count(List<Outcome> outcomes) {
    int reached = Collections.frequency(outcomes, Outcome.REACHED);
    int unclear = Collections.frequency(outcomes, Outcome.WITHIN_NOISE);
    String text = "%d of %d goals are reached".formatted(reached, outcomes.size());
    return unclear == 0 ? text : text + ", %d are within the noise".formatted(unclear);
  }
}
