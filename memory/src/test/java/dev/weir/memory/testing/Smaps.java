package dev.weir.memory.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** What the Linux kernel counts as resident, mapping by mapping. */
public final class Smaps {
  private static final Path FILE = Path.of("/proc/self/smaps");

  private Smaps() {}

  /** Sums the resident bytes of the mappings that lie in a range of addresses. */
  public static long residentBytes(long address, long bytes) {
    long sum = 0;
    boolean inside = false;
    for (String line : lines()) {
      int dash = line.indexOf('-');
      int space = line.indexOf(' ');
      if (dash > 0 && dash < space && isHex(line, dash)) {
        long from = HexFormat.fromHexDigitsToLong(line, 0, dash);
        long to = HexFormat.fromHexDigitsToLong(line, dash + 1, space);
        inside = from >= address && to <= address + bytes;
      } else if (inside && line.startsWith("Rss:")) {
        sum += Long.parseLong(line.substring(4, line.length() - 2).trim()) * 1024;
      }
    }
    return sum;
  }

  private static boolean isHex(String line, int end) {
    for (int i = 0; i < end; i++) {
      if (!HexFormat.isHexDigit(line.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
