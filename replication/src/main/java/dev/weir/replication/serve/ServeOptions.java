package dev.weir.replication.serve;

import dev.weir.replication.imports.ImportOptions;
import dev.weir.replication.net.RateLimit;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server offers, and within which limits.
 *
 * @param containers directories by the names that they are offered under
 * @param folder where manifests are kept
 * @param budgetBytes the most resident buffer memory; a connection counts for 1 MiB of it
 * @param tls null: in the clear
 * @param progressLimit a peer that moves nothing for so long is cut off
 * @param imports where containers go that others push; null: they may not
 * @param clients those that may push; null for all
 */
public record ServeOptions(
    InetSocketAddress address,
    Map<String, Path> containers,
    Path folder,
    long budgetBytes,
    RateLimit rate,
    @Nullable SslContext tls,
    Duration progressLimit,
    @Nullable ImportOptions imports,
    @Nullable ClientList clients) {
  /** The memory behind {@code --budget} when nothing is said. */
  public static final long DEFAULT_BUDGET_BYTES = 64L << 20;

  /** The time behind {@link #progressLimit} when nothing is said. */
  public static final Duration DEFAULT_PROGRESS_LIMIT = Duration.ofSeconds(30);

  /** Copies the map. */
  public ServeOptions {
    containers = Map.copyOf(containers);
  }

  /** Without imports. */
  public ServeOptions(
      InetSocketAddress address,
      Map<String, Path> containers,
      Path folder,
      long budgetBytes,
      RateLimit rate,
      @Nullable SslContext tls,
      Duration progressLimit) {
    this(address, containers, folder, budgetBytes, rate, tls, progressLimit, null, null);
  }

  /**
   * With imports.
   *
   * @param allowed those that may push; null for all
   */
  public ServeOptions importing(ImportOptions options, @Nullable ClientList allowed) {
    return new ServeOptions(
        address, containers, folder, budgetBytes, rate, tls, progressLimit, options, allowed);
  }
}
