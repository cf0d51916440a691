package dev.weir.lab.memory;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What processes can still take on this machine, or in this container, without swapping. */
public final class AvailableMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final String AVAILABLE = "MemAvailable:";

  private AvailableMemory() {}

  /** The smaller of what the kernel says is available and of what the container may have in all. */
  public static long bytes() {
    long totalBytes =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    try {
      return Files.readAllLines(MEMINFO).stream()
          .filter(line -> line.startsWith(AVAILABLE))
          .map(line -> line.substring(AVAILABLE.length()).replace("kB", "").strip())
          .mapToLong(kib -> Math.min(totalBytes, Long.parseLong(kib) << 10))
          .findFirst()
          .orElse(totalBytes);
    } catch (IOException unknown) {
      return totalBytes;
    }
  }
}
