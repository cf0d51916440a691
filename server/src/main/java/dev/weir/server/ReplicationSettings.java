package dev.weir.server;

import dev.weir.replication.net.RateLimit;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How a node offers what it has flushed.
 *
 * @param budgetBytes the most resident buffer memory, beside the node's own
 * @param rate of all that is sent
 * @param tls null: in the clear
 */
record ReplicationSettings(
    InetSocketAddress address, long budgetBytes, RateLimit rate, @Nullable SslContext tls) {
  /** In the clear, without a limit on the rate. */
  static ReplicationSettings at(InetSocketAddress address) {
    return new ReplicationSettings(address, 16 << 20, new RateLimit(0), null);
  }
}
