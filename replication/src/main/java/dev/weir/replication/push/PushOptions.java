package dev.weir.replication.push;

import dev.weir.replication.net.RateLimit;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is sent, to where, and within which limits.
 *
 * @param directory whose files are sent
 * @param container the name that it gets there
 * @param server where it listens
 * @param folder where the manifest is made; one that is kept saves reading all files again
 * @param connections how many at once
 * @param budgetBytes the most resident buffer memory; a connection counts for 1 MiB of it
 * @param tls null: in the clear
 * @param progressLimit a server that takes nothing for so long is left
 */
public record PushOptions(
    Path directory,
    String container,
    InetSocketAddress server,
    Path folder,
    int connections,
    long budgetBytes,
    RateLimit rate,
    @Nullable SslContext tls,
    Duration progressLimit) {
  /** With what the commands take when nothing is said. */
  public static PushOptions of(
      Path directory, String container, InetSocketAddress server, Path folder) {
    return new PushOptions(
        directory,
        container,
        server,
        folder,
        4,
        64L << 20,
        new RateLimit(0),
        null,
        Duration.ofSeconds(30));
  }

  /** Over so many connections. */
  public PushOptions over(int count) {
    return new PushOptions(
        directory, container, server, folder, count, budgetBytes, rate, tls, progressLimit);
  }

  /** Within so much buffer memory. */
  public PushOptions within(long bytes) {
    return new PushOptions(
        directory, container, server, folder, connections, bytes, rate, tls, progressLimit);
  }

  /** At a rate. */
  public PushOptions at(RateLimit limit) {
    return new PushOptions(
        directory, container, server, folder, connections, budgetBytes, limit, tls, progressLimit);
  }

  /** With TLS; null for none. */
  public PushOptions secured(@Nullable SslContext context) {
    return new PushOptions(
        directory,
        container,
        server,
        folder,
        connections,
        budgetBytes,
        rate,
        context,
        progressLimit);
  }

  /** With so much patience. */
  public PushOptions waiting(Duration limit) {
    return new PushOptions(
        directory, container, server, folder, connections, budgetBytes, rate, tls, limit);
  }
}
