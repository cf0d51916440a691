package dev.weir.memory.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How many addresses a Linux process may map, and which settings limit that, to name them in the
 * error.
 */
final class AddressLimits {
  /** The 47 bits of addresses that a process has on x86-64, and on AArch64 at least. */
  static final long USER_SPACE_BYTES = 1L << 47;

  private static final int ENOMEM = 12;
  private static final String ADDRESS_SPACE_LIMIT = "Max address space";
  private static final String UNLIMITED = "unlimited";
  private static final Path LIMITS = Path.of("/proc/self/limits");

  private AddressLimits() {}

  /** What this process may still map. */
  static long freeBytes(int pageBytes) {
    return freeBytes(read(LIMITS), read(Path.of("/proc/self/statm")), pageBytes);
  }

  /** Pure: by the two files; what one of them does not tell is taken for no limit, or nothing. */
  static long freeBytes(String limits, String statm, int pageBytes) {
    String limit = addressSpaceLimit(limits);
    String mappedPages = statm.split(" ", 2)[0];
    long limitBytes = limit.equals(UNLIMITED) ? -1 : Long.parseUnsignedLong(limit);
    long mayMap = limitBytes < 0 ? USER_SPACE_BYTES : Math.min(USER_SPACE_BYTES, limitBytes);
    long mapped = mappedPages.isEmpty() ? 0 : Long.parseLong(mappedPages) * pageBytes;
    return Math.max(0, mayMap - mapped);
  }

  /** The soft limit in bytes, or {@link #UNLIMITED}. */
  private static String addressSpaceLimit(String limits) {
    for (String line : limits.split("\n", -1)) {
      if (line.startsWith(ADDRESS_SPACE_LIMIT)) {
        return line.substring(ADDRESS_SPACE_LIMIT.length()).trim().split("\\s+", 2)[0];
      }
    }
    return UNLIMITED;
  }

  static ReservationFailedError failure(String call, long bytes, int errno) {
    String reason = errno == ENOMEM ? "ENOMEM" : "errno " + errno;
    List<String> hints = hints(read(LIMITS), read(Path.of("/proc/sys/vm/overcommit_memory")));
    return new ReservationFailedError(
        "cannot reserve %,d bytes of addresses (%s: %s). %s"
            .formatted(bytes, call, reason, String.join(" ", hints)));
  }

  /** Pure: what the two files say, as advice. */
  static List<String> hints(String limits, String overcommit) {
    List<String> hints = new ArrayList<>();
    String softLimit = addressSpaceLimit(limits);
    if (!softLimit.equals(UNLIMITED)) {
      hints.add(
          "The address space of this process is limited to "
              + softLimit
              + " bytes: raise it with `ulimit -v unlimited`.");
    }
    if (overcommit.trim().equals("2")) {
      hints.add(
          "The kernel counts every mapping against its commit limit (vm.overcommit_memory = 2):"
              + " set it to 0 or 1, or raise vm.overcommit_ratio.");
    }
    if (hints.isEmpty()) {
      hints.add("Check `ulimit -v`, vm.overcommit_memory and vm.max_map_count.");
    }
    hints.add("Or lower the pool's limit: the reservation is three times that at least.");
    return hints;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
