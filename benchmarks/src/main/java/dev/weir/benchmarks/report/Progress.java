package dev.weir.benchmarks.report;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;

/** One line on a terminal that shows how many of the JVMs to come have ended; else nothing. */
public final class Progress {
  private static final int BAR_CELLS = 24;
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out = System.err;
  private final boolean enabled =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  private final int total;
  private final long startNanos = System.nanoTime();
  private int done;

  /** Starts at 0 of {@code total}. */
  public Progress(int total) {
    this.total = total;
    show();
  }

  /** One more has ended. */
  public void step() {
    done++;
    show();
  }

  /** Takes the line away. */
  public void clear() {
    if (enabled) {
      out.print(CLEAR);
      out.flush();
    }
  }

  private void show() {
    if (!enabled) {
      return;
    }
    int filled = (int) ((long) BAR_CELLS * done / total);
    Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
    String rest =
        done == 0
            ? ""
            : "%d s to go".formatted(elapsed.multipliedBy(total - done).toSeconds() / done);
    String bar = "━".repeat(filled) + "─".repeat(BAR_CELLS - filled);
    out.print("%s%s %d/%d JVMs  %s".formatted(CLEAR, bar, done, total, rest));
    out.flush();
  }
}
