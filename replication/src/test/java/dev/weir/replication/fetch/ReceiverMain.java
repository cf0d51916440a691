package dev.weir.replication.fetch;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.transfer.Progress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A receiver in a process of its own, which a test kills: port, name, target, rate. */
final class ReceiverMain {
  private ReceiverMain() {}

  public static void main(String[] args) throws Exception {
    FetchOptions options =
        FetchOptions.of(
                new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])),
                args[1],
                Path.of(args[2]))
            .at(new RateLimit(Long.parseLong(args[3])));
    Fetch.run(options, new Progress());
  }
}
