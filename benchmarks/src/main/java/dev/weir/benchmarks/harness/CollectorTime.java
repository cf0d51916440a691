package dev.weir.benchmarks.harness;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The core time of this JVM's collector, pauses and work beside the program alike: that of G1's
 * threads and of the thread that stops the others, by the kernel's count, in nanoseconds. JMX would
 * tell it in whole milliseconds, which is what a short run has in all.
 */
public final class CollectorTime {
  private static final File TASKS = new File("/proc/self/task");
  private static final List<String> THREADS = List.of("G1 ", "GC Thread", "VM Thread");

  /** A name, or three numbers. */
  private final byte[] buffer = new byte[128];

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

  private long total() throws IOException {
    String[] tasks = TASKS.list();
    if (tasks == null) {
      throw new IOException(TASKS + " cannot be read");
    }
    long nanos = 0;
    for (String task : tasks) {
      nanos += nanos(new File(TASKS, task));
    }
    return nanos;
  }

  private long nanos(File task) throws IOException {
    try {
      String name = read(new File(task, "comm"));
      if (THREADS.stream().noneMatch(name::startsWith)) {
        return 0;
      }
      String times = read(new File(task, "schedstat"));
      return Long.parseLong(times.substring(0, times.indexOf(' ')));
    } catch (IOException e) {
      if (task.exists()) {
        throw e;
      }
      return 0; // The thread has ended.
    }
  }

  /** With few objects: they are made while the program's are counted. */
  private String read(File file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      int bytes = in.read(buffer);
      return new String(buffer, 0, Math.max(bytes, 0), StandardCharsets.US_ASCII);
    }
  }
}
