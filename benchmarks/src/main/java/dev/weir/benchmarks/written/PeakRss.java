package dev.weir.benchmarks.written;

import dev.weir.lab.memory.ProcessRss;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.LockSupport;

/** The most anonymous memory that this process has resident, looked at every 10 ms. */
final class PeakRss {
  private static final long PERIOD_NANOS = 10_000_000;

  private final Thread thread = Thread.ofPlatform().daemon().name("peak-rss").unstarted(this::look);
  private volatile boolean isOver;

  /** Written by the thread that looks, read when that has ended. */
  private long bytes;

  private PeakRss() {}

  /** Looks from now on. */
  static PeakRss start() {
    PeakRss peak = new PeakRss();
    peak.thread.start();
    return peak;
  }

  /**
   * Looks for the last time.
   *
   * @return the most that was seen
   */
  long end() throws InterruptedException {
    isOver = true;
    thread.join();
    return bytes;
  }

  private void look() {
    try {
      while (!isOver) {
        bytes = Math.max(bytes, ProcessRss.anonymousBytes());
        LockSupport.parkNanos(this, PERIOD_NANOS);
      }
      bytes = Math.max(bytes, ProcessRss.anonymousBytes());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
