package dev.weir.netty;

import dev.weir.memory.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the Linux kernel counts as resident of a pool's addresses. */
final class ReservationRss {
  private ReservationRss() {}

  static long bytes(Pool pool) throws IOException {
    long from = pool.reservationAddress();
    long to = from + pool.reservationBytes();
    long sum = 0;
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        long address = Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16);
        inside = address >= from && address < to;
      } else if (inside && line.startsWith("Rss:")) {
        sum += Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
    return sum;
  }
}
