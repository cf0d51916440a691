package dev.weir.memory.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the settings that keep a Linux process from reserving addresses, to name them in the error.
 */
final class ReservationLimits {
  private static final int ENOMEM = 12;
  private static final String ADDRESS_SPACE_LIMIT = "Max address space";

  private ReservationLimits() {}

  static ReservationFailedError failure(String call, long bytes, int errno) {
    String reason = errno == ENOMEM ? "ENOMEM" : "errno " + errno;
    List<String> hints =
        hints(read(Path.of("/proc/self/limits")), read(Path.of("/proc/sys/vm/overcommit_memory")));
    return new ReservationFailedError(
        "cannot reserve %,d bytes of addresses (%s: %s). %s"
            .formatted(bytes, call, reason, String.join(" ", hints)));
  }

  /** Pure: what the two files say, as advice. */
  static List<String> hints(String limits, String overcommit) {
    List<String> hints = new ArrayList<>();
    for (String line : limits.split("\n", -1)) {
      if (line.startsWith(ADDRESS_SPACE_LIMIT)) {
        String softLimit = line.substring(ADDRESS_SPACE_LIMIT.length()).trim().split("\\s+", 2)[0];
        if (!softLimit.equals("unlimited")) {
          hints.add(
              "The address space of this process is limited to "
                  + softLimit
                  + " bytes: raise it with `ulimit -v unlimited`.");
        }
      }
    }
    if (overcommit.trim().equals("2")) {
      hints.add(
          "The kernel counts every mapping against its commit limit (vm.overcommit_memory = 2):"
              + " set it to 0 or 1, or raise vm.overcommit_ratio.");
    }
    if (hints.isEmpty()) {
      hints.add("Check `ulimit -v`, vm.overcommit_memory and vm.max_map_count.");
    }
    hints.add("Or lower the pool's limit: the reservation is a multiple of it.");
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
