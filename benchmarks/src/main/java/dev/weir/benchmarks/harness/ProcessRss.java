package dev.weir.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident bytes of this process that are not file pages, from {@code /proc/self/status}. */
public final class ProcessRss {
  private static final Path FILE = Path.of("/proc/self/status");
  private static final String KEY = "RssAnon:";
  private static final String UNIT = "kB";

  private ProcessRss() {}

  /**
   * Reads them.
   *
   * @throws IOException if the system has no such file
   */
  public static long anonymousBytes() throws IOException {
    for (String line : Files.readAllLines(FILE)) {
      if (line.startsWith(KEY)) {
        String kib = line.substring(KEY.length()).replace(UNIT, "").strip();
        return Long.parseLong(kib) * 1024;
      }
    }
    throw new IOException(FILE + " has no line '" + KEY + "'");
  }
}
