package dev.weir.lab.replicate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Makes the copies of a load on its threads, and removes each when it has ended. In an open loop a
 * copy's time begins when it arrives, so that it contains its wait for a thread. Used once.
 */
final class CopyLoop {
  private final CopyLoad load;
  private final Copier copier;
  private final Path folder;
  private final Consumer<String> says;
  private final AtomicInteger next = new AtomicInteger();
  private final BusyTime busy = new BusyTime();
  private final long[] arrivals;
  private final long begunNanos = System.nanoTime();

  /** A loop that says a line of each copy, and one at its end. */
  CopyLoop(CopyLoad load, Copier copier, Path folder, Consumer<String> says) {
    this.load = load;
    this.copier = copier;
    this.folder = folder;
    this.says = says;
    this.arrivals = load.isOpen() ? load.arrivalNanos() : new long[0];
  }

  /** Blocks until all have ended. */
  void run() throws InterruptedException {
    try (RateWindow window = RateWindow.start(copier::receivedBytes)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < load.threads(); i++) {
        Path target = folder.resolve(Integer.toString(i));
        threads.add(Thread.ofPlatform().name("copy-" + i).start(() -> work(target)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      says.accept(
          "end %d %d %d %d"
              .formatted(busy.nanos(), copier.peakPoolBytes(), window.slowest(), window.fastest()));
    }
  }

  private void work(Path target) {
    for (int i = next.getAndIncrement(); i < load.containers(); i = next.getAndIncrement()) {
      long start = load.isOpen() ? waitUntil(begunNanos + arrivals[i]) : System.nanoTime();
      try {
        Files.createDirectories(target);
        busy.begin();
        try {
          copier.copy(target);
        } finally {
          busy.end();
        }
        says.accept("done " + (System.nanoTime() - start));
      } catch (IOException failed) {
        says.accept(failed(System.nanoTime() - start, failed));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
      remove(target);
    }
  }

  /** Returns that time, which may have passed. */
  private static long waitUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
    }
    return nanos;
  }

  private static void remove(Path target) {
    try {
      Folders.delete(target);
    } catch (IOException e) {
      System.getLogger(CopyLoop.class.getName())
          .log(System.Logger.Level.WARNING, "cannot remove " + target, e);
    }
  }

  /** The line of a copy that failed. */
  static String failed(long nanos, IOException failure) {
    String reason = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    return "failed " + nanos + " " + reason;
  }
}
