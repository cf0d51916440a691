package dev.weir.server.top;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the code on one line: two figures, an age, the place, the budget.
 *
 * @param figures with a blank behind them
 * @param place class and method without package, and the line in its file
 * @param budget with blanks before it
 */
record CodeRow(String figures, String place, String budget) {
  private static final String COLUMNS = "%9s %9s %7s  ";

  /** As {@code com.example.Handler$Reader.read(Handler.java:17)}. */
  private static final Pattern FRAME =
      Pattern.compile("(?:[^()]*[.$])?([^.$()]+\\.[^.()]+)\\(([^()]*)\\)");

  static String head(String first, String place) {
    return COLUMNS.formatted(first, "holds", "oldest") + place;
  }

  /** Of a place that grows. */
  static CodeRow of(Figures place, long growthBytesPerSecond) {
    return of(place, Units.bytes(growthBytesPerSecond));
  }

  /** Of a place that holds blocks. */
  static CodeRow of(Figures place) {
    return of(place, Units.count(place.number("blocks")));
  }

  private static CodeRow of(Figures place, String first) {
    return new CodeRow(
        COLUMNS.formatted(
            first,
            Units.bytes(place.number("bytes")),
            Units.seconds(place.number("oldestMillis") / 1000)),
        shortened(place.text("place")),
        "  " + place.text("budget") + others(place.number("budgets") - 1));
  }

  private static String others(long budgets) {
    return budgets > 0 ? " and " + Units.count(budgets) + " more" : "";
  }

  static String shortened(String frame) {
    Matcher matcher = FRAME.matcher(frame);
    return matcher.matches() ? matcher.group(1) + " " + matcher.group(2) : frame;
  }
}
