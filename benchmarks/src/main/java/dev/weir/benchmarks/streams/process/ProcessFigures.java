package dev.weir.benchmarks.streams.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel says of a process.
 *
 * @param rssBytes resident, file pages included ({@code VmRSS})
 * @param writtenBytes what it has caused to be written to disks ({@code write_bytes})
 */
public record ProcessFigures(long rssBytes, long writtenBytes) {
  private static final long KIB = 1024;

  /**
   * Reads them.
   *
   * @throws IOException if the process has ended, or the system has no such files
   */
  public static ProcessFigures of(long pid) throws IOException {
    Path folder = Path.of("/proc", Long.toString(pid));
    return new ProcessFigures(
        KIB * value(folder.resolve("status"), "VmRSS:"),
        value(folder.resolve("io"), "write_bytes:"));
  }

  private static long value(Path file, String key) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(key)) {
        return Long.parseLong(line.substring(key.length()).replace("kB", "").strip());
      }
    }
    throw new IOException("%s has no line '%s'".formatted(file, key));
  }
}
