package dev.weir.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What Linux says of the two ends of a connection within this machine. */
final class KernelSockets {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int QUEUES = 4;
  private static final int INODE = 9;

  private KernelSockets() {}

  /**
   * Whether a server has accepted a connection and read all that the client has sent.
   *
   * @param clientPort the client's, whose end is there still
   */
  static boolean isAllRead(int serverPort, int clientPort) throws IOException {
    boolean isSent = false;
    boolean isRead = false;
    for (Path table : TABLES) {
      for (String line : lines(table)) {
        String[] fields = line.strip().split("\\s+");
        if (isEnd(fields, clientPort, serverPort)) {
          isSent = fields[QUEUES].startsWith("00000000:");
        } else if (isEnd(fields, serverPort, clientPort)) {
          // One that waits to be accepted belongs to nobody yet.
          isRead = fields[QUEUES].endsWith(":00000000") && !fields[INODE].equals("0");
        }
      }
    }
    return isSent && isRead;
  }

  /** What a server has written to a connection and its client's kernel has not taken. */
  static long queuedBytes(int serverPort, int clientPort) throws IOException {
    for (Path table : TABLES) {
      for (String line : lines(table)) {
        String[] fields = line.strip().split("\\s+");
        if (isEnd(fields, serverPort, clientPort)) {
          return Long.parseLong(fields[QUEUES].substring(0, fields[QUEUES].indexOf(':')), 16);
        }
      }
    }
    return 0;
  }

  /** A kernel without IPv6 has one table. */
  private static List<String> lines(Path table) throws IOException {
    return Files.exists(table) ? Files.readAllLines(table) : List.of();
  }

  private static boolean isEnd(String[] fields, int localPort, int remotePort) {
    return fields[LOCAL].endsWith(port(localPort)) && fields[REMOTE].endsWith(port(remotePort));
  }

  private static String port(int port) {
    return String.format(Locale.ROOT, ":%04X", port);
  }
}
