package dev.weir.replication.fetch;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A standby in a process of its own, which a test kills: port, name, target. */
final class StandbyMain {
  private StandbyMain() {}

  public static void main(String[] args) throws Exception {
    FetchOptions options =
        FetchOptions.of(
            new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])),
            args[1],
            Path.of(args[2]));
    try (Standby standby = Standby.open(options)) {
      while (true) {
        standby.turn(new Progress());
      }
    }
  }
}
