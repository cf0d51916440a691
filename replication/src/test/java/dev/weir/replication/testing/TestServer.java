package dev.weir.replication.testing;

import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.imports.ImportOptions;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.ToLongFunction;

/** A server of one container on a free port of loopback. */
public record TestServer(ReplicationServer server, String name) implements AutoCloseable {
  /** Starts one. */
  public static TestServer of(Path container, Path cache) throws IOException {
    return of(container, cache, new RateLimit(0), null, Duration.ofSeconds(30));
  }

  /** Starts one with a rate, TLS and a limit of progress. */
  public static TestServer of(
      Path container, Path cache, RateLimit rate, SslContext tls, Duration progressLimit)
      throws IOException {
    String name = container.getFileName().toString();
    return new TestServer(
        ReplicationServer.start(
            new ServeOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(name, container),
                cache,
                16 << 20,
                rate,
                tls,
                progressLimit)),
        name);
  }

  /** Starts one that offers nothing, and takes imports into a directory. */
  public static TestServer importing(Path imports) throws IOException {
    return importing(imports, new RateLimit(0), Duration.ofSeconds(30), FetchOptions::usable);
  }

  /** Starts one that takes imports, with a rate, a limit of progress, and a disk. */
  public static TestServer importing(
      Path imports, RateLimit rate, Duration progressLimit, ToLongFunction<Path> freeBytes)
      throws IOException {
    return new TestServer(
        ReplicationServer.start(
            new ServeOptions(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Map.of(),
                    imports.resolveSibling("no-manifests"),
                    16 << 20,
                    rate,
                    null,
                    progressLimit)
                .importing(new ImportOptions(imports, progressLimit, freeBytes), null)),
        "");
  }

  /** Its address. */
  public InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", port());
  }

  /** Its port. */
  public int port() {
    return server.address().getPort();
  }

  /** A fetch from it. */
  public FetchOptions fetchInto(Path target) {
    return FetchOptions.of(new InetSocketAddress("127.0.0.1", port()), name, target);
  }

  @Override
  public void close() {
    server.close();
  }
}
