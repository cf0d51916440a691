package dev.weir.benchmarks.report;

import dev.weir.benchmarks.harness.Cell;
import dev.weir.benchmarks.harness.Measurement;
import dev.weir.benchmarks.report.Goal.Verdict;
import dev.weir.lab.report.Outcome;
import dev.weir.lab.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/** What was to be reached in a run, and what was: a line for each goal. */
public final class GoalTable {
  private GoalTable() {}

  /** A goal of a cell, and what came of it. */
  private record Line(Cell cell, Goal goal, Verdict verdict) {
    List<String> cells(boolean withMalloc) {
      List<String> cells = new ArrayList<>();
      cells.add(cell.suite() + " " + String.join(" ", cell.parameters().values()));
      cells.add(cell.threadsText());
      cells.add(cell.leakDetection().label());
      cells.add(goal.title());
      cells.add(verdict.weir());
      cells.add(verdict.other());
      cells.add(verdict.ratio());
      if (withMalloc) {
        cells.add(verdict.malloc());
      }
      cells.add(verdict.goal());
      cells.add(verdict.outcome().cell());
      return cells;
    }
  }

  /** The table and a line that counts; empty if nothing that was measured has a goal. */
  public static String render(List<Measurement> measurements, Ansi ansi) {
    List<Line> lines = new ArrayList<>();
    for (Measurement measurement : measurements) {
      for (Goal goal : Goals.of(measurement.cell())) {
        goal.judge(measurement, measurements)
            .ifPresent(verdict -> lines.add(new Line(measurement.cell(), goal, verdict)));
      }
    }
    String count = Outcome.count(lines.stream().map(line -> line.verdict().outcome()).toList());
    return count.isEmpty() ? "" : table(lines).render(ansi) + count;
  }

  private static TextTable table(List<Line> lines) {
    boolean withMalloc = lines.stream().anyMatch(line -> !line.verdict().malloc().isEmpty());
    List<String> titles =
        new ArrayList<>(List.of("goal", "threads", "leak detection", "", "weir", "other", "ratio"));
    if (withMalloc) {
      titles.add("best malloc / weir");
    }
    titles.addAll(List.of("wanted", ""));
    TextTable table = new TextTable(titles.toArray(String[]::new));
    lines.forEach(line -> table.add(line.cells(withMalloc).toArray(String[]::new)));
    return table;
  }
}
