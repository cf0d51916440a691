package dev.weir.lab.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How often the calling thread has faulted a page in, from {@code /proc/thread-self/stat}. */
public final class ThreadFaults {
  private static final Path FILE = Path.of("/proc/thread-self/stat");

  /**
   * Behind the name in brackets, which may contain anything: state is the first, minflt the 8th.
   */
  private static final int MINOR_FIELD = 7;

  private ThreadFaults() {}

  /**
   * Faults that needed no disk, since the thread began.
   *
   * @throws IOException if the system has no such file
   */
  public static long minor() throws IOException {
    return minor(Files.readString(FILE));
  }

  /** The same of a given text. */
  static long minor(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", MINOR_FIELD + 2);
    return Long.parseLong(fields[MINOR_FIELD]);
  }
}
