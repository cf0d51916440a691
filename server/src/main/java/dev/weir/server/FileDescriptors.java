package dev.weir.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the operating system lets this process open. */
final class FileDescriptors {
  private FileDescriptors() {}

  /** How many files and sockets may be open at once; very many where there is no such limit. */
  static long limit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Integer.MAX_VALUE;
  }
}
