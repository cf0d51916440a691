package dev.weir.lab.replicate;

import dev.weir.lab.child.ParentLines;
import dev.weir.replication.fetch.Fetch;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.transfer.Progress;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side in a JVM of its own: peer, port, target, path, bytes, connections, authority.
 * Says {@code ready}, and for each word {@code copy} copies once: {@code done NANOS POOL}.
 */
final class ReceiverMain {
  private ReceiverMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path target = Path.of(arguments[2]);
    int connections = Integer.parseInt(arguments[5]);
    SslContext tls =
        arguments[6].isEmpty() ? null : TlsContexts.client(Path.of(arguments[6]), null, null);
    InetSocketAddress source =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
    Copy copy =
        Peer.of(arguments[0]) == Peer.WEIR
            ? weir(source, target, connections, tls)
            : netty(source, target, arguments[3], Long.parseLong(arguments[4]), connections, tls);
    ParentLines parent = new ParentLines();
    parent.say("ready");
    while (true) {
      parent.await("copy");
      long start = System.nanoTime();
      long pool = copy.run();
      parent.say("done " + (System.nanoTime() - start) + " " + pool);
    }
  }

  /** One copy, whose target is not there before. */
  private interface Copy {
    /** Returns the pool's peak in bytes. */
    long run() throws IOException, InterruptedException;
  }

  private static Copy weir(
      InetSocketAddress source, Path target, int connections, @Nullable SslContext tls) {
    return () -> {
      Progress progress = new Progress();
      Fetch.run(
          FetchOptions.of(source, SenderMain.NAME, target).over(connections).secured(tls),
          progress);
      return progress.peakBufferBytes();
    };
  }

  private static Copy netty(
      InetSocketAddress source,
      Path target,
      String path,
      long bytes,
      int connections,
      @Nullable SslContext tls) {
    NettyReceiver receiver = new NettyReceiver(source, path, bytes, connections, tls);
    return () -> receiver.copy(target.resolve("copy"));
  }
}
