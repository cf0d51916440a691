package dev.weir.replication.serve;

import dev.weir.replication.imports.Imports;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.source.Container;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of a server share.
 *
 * @param imports null where they are off
 * @param clients those that may push; null for all
 */
record Services(
    Map<String, Container> containers,
    Executor builder,
    Container.Reading reading,
    RateLimit rate,
    Duration progressLimit,
    int mostConnections,
    ServeFigures figures,
    ServeMetrics metrics,
    @Nullable Imports imports,
    @Nullable ClientList clients) {}
