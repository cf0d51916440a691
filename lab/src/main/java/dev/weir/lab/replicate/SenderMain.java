package dev.weir.lab.replicate;

import dev.weir.lab.child.ParentLines;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sending side in a JVM of its own: peer, container, certificate, key. Says {@code ready PORT},
 * and its pool's peak when it is asked for figures.
 */
final class SenderMain {
  static final String NAME = "container";

  private SenderMain() {}

  public static void main(String[] arguments) throws IOException {
    Path container = Path.of(arguments[1]);
    SslContext tls =
        arguments[2].isEmpty()
            ? null
            : TlsContexts.server(Path.of(arguments[2]), Path.of(arguments[3]), null);
    ParentLines parent = new ParentLines();
    if (Peer.of(arguments[0]) == Peer.WEIR) {
      weir(container, tls, parent);
    } else {
      try (NettySender sender = NettySender.start(container, tls)) {
        parent.say("ready " + sender.port());
        while (true) {
          parent.await("figures");
          parent.say("figures " + sender.pooledBytes());
        }
      }
    }
  }

  private static void weir(Path container, @Nullable SslContext tls, ParentLines parent)
      throws IOException {
    Path cache = Files.createTempDirectory(container.getParent(), "manifests-");
    try (ReplicationServer server =
        ReplicationServer.start(
            new ServeOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(NAME, container),
                cache,
                ServeOptions.DEFAULT_BUDGET_BYTES,
                new RateLimit(0),
                tls,
                ServeOptions.DEFAULT_PROGRESS_LIMIT))) {
      parent.say("ready " + server.address().getPort());
      while (true) {
        parent.await("figures");
        parent.say("figures " + server.peakResidentBytes());
      }
    }
  }
}
