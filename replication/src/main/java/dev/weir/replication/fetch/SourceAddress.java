package dev.weir.replication.fetch;

import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server that has the container.
 *
 * @param container the name there
 * @param tls null: in the clear
 */
public record SourceAddress(
    InetSocketAddress address, String container, @Nullable SslContext tls) {}
