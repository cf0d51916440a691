package dev.weir.lab.report;

import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;

/**
 * One line on a terminal that shows how far something is; nothing where there is no terminal. Used
 * by one thread at a time.
 */
public final class ProgressLine {
  private static final int BAR_CELLS = 24;
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final boolean enabled;

  private ProgressLine(PrintStream out, boolean enabled) {
    this.out = out;
    this.enabled = enabled;
  }

  /** A line on standard error if the program talks to a terminal. */
  public static ProgressLine onTerminal() {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    return new ProgressLine(System.err, terminal);
  }

  /** Shows {@code done} of {@code total} steps as a bar, between two texts. */
  public void show(String before, int done, int total, String after) {
    if (!enabled) {
      return;
    }
    int filled = (int) ((long) BAR_CELLS * done / Math.max(1, total));
    String bar = "━".repeat(filled) + "─".repeat(BAR_CELLS - filled);
    out.print("%s%-20s %s %3d/%d  %s".formatted(CLEAR, before, bar, done, total, after));
    out.flush();
  }

  /** Takes the line away. */
  public void clear() {
    if (enabled) {
      out.print(CLEAR);
      out.flush();
    }
  }
}
