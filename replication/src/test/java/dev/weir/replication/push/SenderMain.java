package dev.weir.replication.push;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.transfer.Progress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A sender in a process of its own, which a test kills: directory, port, folder, rate. */
final class SenderMain {
  private SenderMain() {}

  public static void main(String[] args) throws Exception {
    PushOptions options =
        PushOptions.of(
                Path.of(args[0]),
                "photos",
                new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])),
                Path.of(args[2]))
            .at(new RateLimit(Long.parseLong(args[3])));
    Push.run(options, new Progress());
  }
}
