package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.store.StreamStore;
import java.util.concurrent.Executor;

/**
 * What all connections share.
 *
 * @param io runs what blocks on the disk; a connection has at most one task there
 */
record Services(
    StreamStore store,
    Executor io,
    HttpLimits limits,
    StagingQuota staging,
    NodeMetrics metrics,
    Console console) {}
