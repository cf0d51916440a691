package dev.weir.benchmarks.report;

/** What came of a goal. */
public enum Outcome {
  /** Also by the worst round of the one and the best of the other. */
  REACHED("@|green reached|@"),
  /** Also by the best round of the one and the worst of the other. */
  MISSED("@|red missed|@"),
  /** By some rounds so, by others not. */
  WITHIN_NOISE("within the noise"),
  /** There is nothing to be reached: the ratio is shown. */
  NOT_JUDGED("no goal");

  private final String cell;

  Outcome(String cell) {
    this.cell = cell;
  }

  /** As tables show it. */
  String cell() {
    return cell;
  }
}
