package dev.weir.replication.serve;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.source.Container;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;

/** What the connections of a server share. */
record Services(
    Map<String, Container> containers,
    Executor builder,
    Container.Reading reading,
    RateLimit rate,
    Duration progressLimit,
    int mostConnections,
    ServeFigures figures) {}
