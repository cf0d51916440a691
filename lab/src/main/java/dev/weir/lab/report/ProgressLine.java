package dev.weir.lab.report;

import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;

/**
 * One line on a terminal that shows how far something is; elsewhere nothing, or a line every few
 * seconds. Used by one thread at a time.
 */
public final class ProgressLine {
  private static final int BAR_CELLS = 24;
  private static final long QUIET_NANOS = 5_000_000_000L;
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final boolean enabled;
  private final boolean talksElsewhere;
  private long saidNanos = System.nanoTime() - QUIET_NANOS;

  private ProgressLine(PrintStream out, boolean enabled, boolean talksElsewhere) {
    this.out = out;
    this.enabled = enabled;
    this.talksElsewhere = talksElsewhere;
  }

  /** A line on standard error if the program talks to a terminal. */
  public static ProgressLine onTerminal() {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    return new ProgressLine(System.err, terminal, /* talksElsewhere= */ false);
  }

  /** The same, for long work: without a terminal, a line of text every few seconds. */
  public static ProgressLine everywhere() {
    return new ProgressLine(System.err, onTerminal().enabled, /* talksElsewhere= */ true);
  }

  /** Shows {@code done} of {@code total} steps as a bar, between two texts. */
  public void show(String before, int done, int total, String after) {
    if (!enabled) {
      sayElsewhere("%s: %d/%d, %s".formatted(before, done, total, after));
      return;
    }
    int filled = (int) ((long) BAR_CELLS * done / Math.max(1, total));
    String bar = "━".repeat(filled) + "─".repeat(BAR_CELLS - filled);
    out.print("%s%-20s %s %3d/%d  %s".formatted(CLEAR, before, bar, done, total, after));
    out.flush();
  }

  private void sayElsewhere(String text) {
    if (talksElsewhere && System.nanoTime() - saidNanos >= QUIET_NANOS) {
      saidNanos = System.nanoTime();
      out.println(text);
    }
  }

  /** Takes the line away. */
  public void clear() {
    if (enabled) {
      out.print(CLEAR);
      out.flush();
    }
  }
}
