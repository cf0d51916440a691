package dev.weir.lab.replay;

import dev.weir.lab.report.Bytes;
import java.util.Locale;

/**
 * What an allocator may use in a replay.
 *
 * @param bytes so much, if {@code times} is 0
 * @param times so many times what is live at the peak, and 4 MiB, if it is not
 */
record Budget(long bytes, double times) {
  /** More than a trace can need. */
  static final Budget NONE = new Budget(ReplayPlan.NO_BUDGET, 0);

  private static final long MARGIN_BYTES = 4L << 20;

  /**
   * Parses {@code 230M} or {@code 1.15x}.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  static Budget parse(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (!lower.endsWith("x")) {
      return new Budget(Bytes.parse(text), 0);
    }
    try {
      double times = Double.parseDouble(lower.substring(0, lower.length() - 1));
      if (times >= 1 && times <= 1_000) {
        return new Budget(0, times);
      }
    } catch (NumberFormatException noNumber) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "'" + text + "' is no budget, such as 230M, or 1.15x from 1x to 1000x");
  }

  /** For a trace with so much live at its peak. */
  long bytes(long peakLiveBytes) {
    return times == 0 ? bytes : Math.round(times * peakLiveBytes) + MARGIN_BYTES;
  }
}
