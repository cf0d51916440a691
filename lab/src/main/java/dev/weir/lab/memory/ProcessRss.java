package dev.weir.lab.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resident bytes of a process that are not file pages, from {@code status} in its folder of
 * {@code /proc}.
 */
public final class ProcessRss {
  private static final Path PROCESSES = Path.of("/proc");
  private static final String KEY = "RssAnon:";

  private ProcessRss() {}

  /**
   * Reads those of this process.
   *
   * @throws IOException if the system has no such file
   */
  public static long anonymousBytes() throws IOException {
    return anonymousBytes("self");
  }

  /**
   * Reads those of another process.
   *
   * @throws IOException if it has ended, or the system has no such file
   */
  public static long anonymousBytes(long pid) throws IOException {
    return anonymousBytes(Long.toString(pid));
  }

  private static long anonymousBytes(String process) throws IOException {
    Path file = PROCESSES.resolve(process).resolve("status");
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(KEY)) {
        String kib = line.substring(KEY.length()).replace("kB", "").strip();
        return Long.parseLong(kib) * 1024;
      }
    }
    throw new IOException(file + " has no line '" + KEY + "'");
  }
}
