package dev.weir.server.http;

import dev.weir.netty.flow.Admission;
import dev.weir.server.console.Console;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.store.StreamStore;
import java.util.concurrent.Executor;

/**
 * What all connections share.
 *
 * @param io runs what blocks on the disk; a connection has at most one task there
 * @param admission waits for memory that the allocator refused
 */
record Services(
    StreamStore store,
    Executor io,
    HttpLimits limits,
    StagingQuota staging,
    Admission admission,
    NodeMetrics metrics,
    Console console) {}
