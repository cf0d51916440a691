package dev.weir.replication.fetch;

import dev.weir.replication.net.RateLimit;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is fetched, to where, and within which limits.
 *
 * @param source where the server listens
 * @param container the name there
 * @param target a directory, which gets the container as a folder of its name
 * @param connections how many at once
 * @param budgetBytes the most resident buffer memory; a connection counts for 1 MiB of it
 * @param tls null: in the clear
 * @param progressLimit a source that sends nothing for so long is left
 * @param freeBytes what a directory has room for, as the system says, or as a test pretends
 */
public record FetchOptions(
    InetSocketAddress source,
    String container,
    Path target,
    int connections,
    long budgetBytes,
    RateLimit rate,
    @Nullable SslContext tls,
    Duration progressLimit,
    ToLongFunction<Path> freeBytes) {
  /** The connections when nothing is said. */
  public static final int DEFAULT_CONNECTIONS = 4;

  /** The time behind {@link #progressLimit} when nothing is said. */
  public static final Duration DEFAULT_PROGRESS_LIMIT = Duration.ofSeconds(30);

  /** With what the commands take when nothing is said. */
  public static FetchOptions of(InetSocketAddress source, String container, Path target) {
    return new FetchOptions(
        source,
        container,
        target,
        DEFAULT_CONNECTIONS,
        64L << 20,
        new RateLimit(0),
        null,
        DEFAULT_PROGRESS_LIMIT,
        FetchOptions::usable);
  }

  /** Over so many connections. */
  public FetchOptions over(int count) {
    return new FetchOptions(
        source, container, target, count, budgetBytes, rate, tls, progressLimit, freeBytes);
  }

  /** Within so much buffer memory. */
  public FetchOptions within(long bytes) {
    return new FetchOptions(
        source, container, target, connections, bytes, rate, tls, progressLimit, freeBytes);
  }

  /** At a rate. */
  public FetchOptions at(RateLimit limit) {
    return new FetchOptions(
        source, container, target, connections, budgetBytes, limit, tls, progressLimit, freeBytes);
  }

  /** Into another directory. */
  public FetchOptions into(Path directory) {
    return new FetchOptions(
        source,
        container,
        directory,
        connections,
        budgetBytes,
        rate,
        tls,
        progressLimit,
        freeBytes);
  }

  /** With TLS; null for none. */
  public FetchOptions secured(@Nullable SslContext context) {
    return new FetchOptions(
        source,
        container,
        target,
        connections,
        budgetBytes,
        rate,
        context,
        progressLimit,
        freeBytes);
  }

  /** With so much patience. */
  public FetchOptions waiting(Duration limit) {
    return new FetchOptions(
        source, container, target, connections, budgetBytes, rate, tls, limit, freeBytes);
  }

  /** On a disk that says so of its room. */
  public FetchOptions onDisk(ToLongFunction<Path> free) {
    return new FetchOptions(
        source, container, target, connections, budgetBytes, rate, tls, progressLimit, free);
  }

  private static long usable(Path directory) {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException unknown) {
      return Long.MAX_VALUE;
    }
  }
}
