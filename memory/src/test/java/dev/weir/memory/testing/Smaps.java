package dev.weir.memory.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** What the Linux kernel knows of mappings: what is resident, and what they are advised. */
public final class Smaps {
  private static final Path FILE = Path.of("/proc/self/smaps");

  private Smaps() {}

  /** Sums the resident bytes of the mappings that lie in a range of addresses. */
  public static long residentBytes(long address, long bytes) {
    return values("Rss:", address, bytes).stream()
        .mapToLong(value -> Long.parseLong(value.substring(0, value.length() - 2).trim()) * 1024)
        .sum();
  }

  /** The flags of each mapping that lies in a range of addresses: of two letters each. */
  public static List<Set<String>> flags(long address, long bytes) {
    return values("VmFlags:", address, bytes).stream()
        .map(value -> Set.of(value.split(" ")))
        .toList();
  }

  /** What a line says of each mapping that lies in a range of addresses. */
  private static List<String> values(String key, long address, long bytes) {
    List<String> values = new ArrayList<>();
    boolean inside = false;
    for (String line : lines()) {
      int dash = line.indexOf('-');
      int space = line.indexOf(' ');
      if (dash > 0 && dash < space && isHex(line, dash)) {
        long from = HexFormat.fromHexDigitsToLong(line, 0, dash);
        long to = HexFormat.fromHexDigitsToLong(line, dash + 1, space);
        inside = from >= address && to <= address + bytes;
      } else if (inside && line.startsWith(key)) {
        values.add(line.substring(key.length()).trim());
      }
    }
    return values;
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
