package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.tls.Tls;
import dev.weir.streams.StreamStore;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What all connections share.
 *
 * @param io runs what blocks on the disk; an exchange has at most one task there, beside those that
 *     only close a file
 * @param searches of forks' points, which take turns there
 * @param access whose requests are served
 * @param codings in which contents are sent
 * @param permits of connections; each stream of HTTP/2 beyond a connection's first needs one too
 * @param refusals permits of streams that have found none of those, and end a moment later
 * @param tls of all connections; null where they are in the clear
 */
record Services(
    StreamStore store,
    Executor io,
    ForkSearches searches,
    HttpLimits limits,
    AccessGuard access,
    ContentCodings codings,
    Permits permits,
    Permits refusals,
    StagingQuota staging,
    NodeMetrics metrics,
    Console console,
    @Nullable Tls tls) {
  /** The same for connections that are served beyond the limit. */
  Services forOperators() {
    return new Services(
        store,
        io,
        searches,
        limits.forOperators(),
        access,
        codings,
        permits,
        refusals,
        staging,
        metrics,
        console,
        tls);
  }
}
