package dev.weir.server;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.weir.server.http.HttpLimits;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** What the operating system lets this process open. */
final class FileDescriptors {
  private FileDescriptors() {}

  /** How many files and sockets may be open at once; very many where there is no such limit. */
  static long limit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Integer.MAX_VALUE;
  }

  /**
   * Why a node cannot live on so many, or null: once it has run out of them it can read no stream
   * and take no connection.
   */
  static @Nullable String refuse(long limit) {
    return limit >= HttpLimits.LEAST_DESCRIPTORS
        ? null
        : "%d open files are allowed (ulimit -n), and the node needs %d; raise the limit, to 2000 if you can"
            .formatted(limit, HttpLimits.LEAST_DESCRIPTORS);
  }
}
