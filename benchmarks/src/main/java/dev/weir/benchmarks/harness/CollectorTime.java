package dev.weir.benchmarks.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The core time of this JVM's collector, pauses and work beside the program alike: that of G1's
 * threads and of the thread that stops the others, by the kernel's count, in nanoseconds. JMX would
 * tell it in whole milliseconds, which is what a short run has in all.
 */
public final class CollectorTime {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final List<String> THREADS = List.of("G1 ", "GC Thread", "VM Thread");

  private long startCollectorNanos;
  private long startNanos;
  private long collectorNanos;
  private long elapsedNanos;

  /** Nothing yet. */
  public CollectorTime() {}

  /**
   * Begins a stretch of time.
   *
   * @throws IOException if the kernel does not tell
   */
  public void start() throws IOException {
    startCollectorNanos = total();
    startNanos = System.nanoTime();
  }

  /**
   * Ends it, and adds it to the earlier ones.
   *
   * @throws IOException if the kernel does not tell
   */
  public void stop() throws IOException {
    elapsedNanos += System.nanoTime() - startNanos;
    collectorNanos += total() - startCollectorNanos;
  }

  /** Core time of the collector in a nanosecond of these stretches. */
  public double share() {
    return elapsedNanos == 0 ? 0 : (double) collectorNanos / elapsedNanos;
  }

  private static long total() throws IOException {
    long nanos = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        nanos += nanos(task);
      }
    }
    return nanos;
  }

  private static long nanos(Path task) throws IOException {
    try {
      String name = Files.readString(task.resolve("comm"));
      if (THREADS.stream().noneMatch(name::startsWith)) {
        return 0;
      }
      String times = Files.readString(task.resolve("schedstat"));
      return Long.parseLong(times.substring(0, times.indexOf(' ')));
    } catch (NoSuchFileException ended) {
      return 0;
    }
  }
}
