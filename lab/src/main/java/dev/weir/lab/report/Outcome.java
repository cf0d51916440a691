package dev.weir.lab.report;

import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What came of a goal. */
public enum Outcome {
  /** In every round, where there are several. */
  REACHED("@|green reached|@"),
  /** In no round, where there are several. */
  MISSED("@|red missed|@"),
  /** By some rounds so, by others not. */
  WITHIN_NOISE("within the noise"),
  /** There is no such figure; it counts as not reached. */
  NOT_MEASURED("not measured"),
  /** There is nothing to be reached: a figure is shown, and counts for nothing. */
  NOT_JUDGED("no goal");

  private final String cell;

  Outcome(String cell) {
    this.cell = cell;
  }

  /** As tables show it. */
  public String cell() {
    return cell;
  }

  /** In a word or two, without colour. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** A line that counts what was to be reached; empty where nothing was. */
  public static String count(List<Outcome> outcomes) {
    int goals = outcomes.size() - Collections.frequency(outcomes, NOT_JUDGED);
    if (goals == 0) {
      return "";
    }
    int reached = Collections.frequency(outcomes, REACHED);
    int unclear = Collections.frequency(outcomes, WITHIN_NOISE);
    String text = "%d of %d goals are reached".formatted(reached, goals);
    return (unclear == 0 ? text : text + ", %d are within the noise".formatted(unclear)) + '\n';
  }
}
