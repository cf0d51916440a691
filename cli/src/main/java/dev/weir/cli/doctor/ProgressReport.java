package dev.weir.cli.doctor;

import dev.weir.lab.report.ProgressLine;
import dev.weir.streams.recovery.Doctor;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/**
 * How far an examination is: a bar on a terminal, a line every few seconds elsewhere. Used by one
 * thread.
 */
final class ProgressReport {
  private static final long BAR_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 5_000_000_000L;
  private static final int MIB_SHIFT = 20;

  private final ProgressLine bar = ProgressLine.onTerminal();
  private final boolean isTerminal =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  private final PrintWriter err;
  private long lastNanos = System.nanoTime();

  ProgressReport(PrintWriter err) {
    this.err = err;
  }

  /** For the examination of a store. */
  Doctor.Progress of(String what) {
    return (passed, total) -> show(what, passed, total);
  }

  /** Shows so many bytes of all, if it is time again. */
  void show(String what, long passedBytes, long totalBytes) {
    long now = System.nanoTime();
    if (now - lastNanos < (isTerminal ? BAR_NANOS : LINE_NANOS)) {
      return;
    }
    lastNanos = now;
    int passed = (int) (passedBytes >> MIB_SHIFT);
    int total = (int) (totalBytes >> MIB_SHIFT);
    if (isTerminal) {
      bar.show(what, passed, total, "MiB");
    } else {
      err.println("weir doctor: %s: %,d of %,d MiB".formatted(what, passed, total));
      err.flush();
    }
  }

  /** Takes the bar away. */
  void end() {
    bar.clear();
  }
}
