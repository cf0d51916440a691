package dev.weir.replication.command;

import dev.weir.replication.transfer.Progress;
import java.io.Console;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows a copy on standard error: a bar with rate and remaining time on a terminal, a line every
 * five seconds elsewhere.
 */
final class ProgressPrinter implements AutoCloseable {
  private static final int BAR_CELLS = 24;
  private static final String CLEAR = "\r\u001b[K";
  private static final long TERMINAL_MILLIS = 200;
  private static final long LINES_MILLIS = 5000;

  /** How much of the rate is that of the last look. */
  private static final double NEWEST = 0.3;

  private final Progress progress;
  private final boolean terminal;
  private final PrintStream out;
  private final ScheduledExecutorService clock;
  private long lastNanos = System.nanoTime();
  private long lastBytes;
  private double bytesPerSecond;

  private ProgressPrinter(Progress progress, boolean terminal, PrintStream out) {
    this.progress = progress;
    this.terminal = terminal;
    this.out = out;
    this.clock =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-progress").factory());
  }

  static ProgressPrinter start(Progress progress) {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    ProgressPrinter printer = new ProgressPrinter(progress, terminal, System.err);
    long period = terminal ? TERMINAL_MILLIS : LINES_MILLIS;
    var _ = printer.clock.scheduleAtFixedRate(printer::show, period, period, TimeUnit.MILLISECONDS);
    return printer;
  }

  private void show() {
    long now = System.nanoTime();
    long bytes = progress.receivedBytes() + progress.sentBytes();
    double seconds = (double) (now - lastNanos) / TimeUnit.SECONDS.toNanos(1);
    double rate = (bytes - lastBytes) / Math.max(seconds, 1e-9);
    bytesPerSecond =
        bytesPerSecond == 0 || !terminal ? rate : NEWEST * rate + (1 - NEWEST) * bytesPerSecond;
    lastNanos = now;
    lastBytes = bytes;
    String line = line(progress, bytesPerSecond, terminal);
    if (terminal) {
      out.print(CLEAR + line);
    } else {
      out.println(line);
    }
    out.flush();
  }

  static String line(Progress progress, double bytesPerSecond, boolean bar) {
    long total = progress.totalBytes();
    long done = progress.verifiedBytes();
    return switch (progress.step()) {
      case MANIFEST -> "manifest  " + progress.note();
      case SYNC, DONE -> "%,d MB verified; syncing the disk".formatted(done / 1_000_000);
      case BYTES -> {
        double share = total == 0 ? 1 : (double) done / total;
        int filled = (int) (BAR_CELLS * share);
        String cells = bar ? "━".repeat(filled) + "─".repeat(BAR_CELLS - filled) + " " : "";
        String rest =
            bytesPerSecond < 1 ? "–" : "%,.0f s".formatted((total - done) / bytesPerSecond);
        yield "%s%3.0f %%  %,d of %,d MB  %,.0f MB/s  %s left"
            .formatted(
                cells,
                100 * share,
                done / 1_000_000,
                total / 1_000_000,
                bytesPerSecond / 1e6,
                rest);
      }
    };
  }

  @Override
  public void close() {
    clock.shutdownNow();
    if (terminal) {
      out.print(CLEAR);
      out.flush();
    }
  }
}
