package dev.weir.server.metrics;

import dev.weir.streams.StoreStats;
import dev.weir.streams.objects.CountedStore;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** The node's counters. Any thread may count. */
public final class NodeMetrics {
  private static final System.Logger LOG = System.getLogger(NodeMetrics.class.getName());

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.builder().build();
  private final Conditions conditions = new Conditions();
  private final AtomicInteger connections = new AtomicInteger();
  private final Counter requests;
  private final Counter servedBytes;
  private final Counter refusedConnections;
  private final Counter failedConnections;
  private final Counter memoryWaits;
  private final AtomicInteger openStreams = new AtomicInteger();
  private final Counter refusedStreams;
  private final Counter failedStreams;

  public NodeMetrics(StoreStats store, LongSupplier streams, MemoryFigures memory) {
    requests =
        Counter.builder()
            .name("weir_http_requests_total")
            .help("Responses begun, by protocol (http/1.1, h2), route and status.")
            .labelNames("protocol", "route", "status")
            .register(registry);
    servedBytes =
        Counter.builder()
            .name("weir_http_served_bytes_total")
            .help("Bytes of streams written to clients.")
            .register(registry);
    refusedConnections =
        Counter.builder()
            .name("weir_http_refused_connections_total")
            .help("Connections closed because there were too many.")
            .register(registry);
    failedConnections =
        Counter.builder()
            .name("weir_http_failed_connections_total")
            .help(
                "Connections ended by an error, by what failed: peer, tls, stalled, memory, error.")
            .labelNames("reason")
            .register(registry);
    memoryWaits =
        Counter.builder()
            .name("weir_http_memory_waits_total")
            .help("Pieces of responses that had to wait for memory.")
            .register(registry);
    refusedStreams =
        Counter.builder()
            .name("weir_http2_refused_streams_total")
            .help("Streams answered 503 because the node had too many clients.")
            .register(registry);
    failedStreams =
        Counter.builder()
            .name("weir_http2_failed_streams_total")
            .help(
                "Streams ended by an error while their connection went on, by what failed: peer,"
                    + " stalled, memory, error.")
            .labelNames("reason")
            .register(registry);
    gauge("weir_http2_open_streams", "Streams of all connections open now.", openStreams::get);
    gauge("weir_http_open_connections", "Connections open now.", connections::get);
    counter("weir_store_appends_total", "Appends acknowledged.", store::appends);
    counter("weir_store_appended_bytes_total", "Bytes acknowledged.", store::appendedBytes);
    counter(
        "weir_store_syncs_total",
        "Syncs to the disk; one acknowledges many appends.",
        store::syncs);
    gauge(
        "weir_store_failed",
        "1 when the node serves reads only, until it is restarted.",
        () -> store.isFailed() ? 1 : 0);
    storage(store);
    gauge("weir_store_streams", "Streams, soft-deleted ones included.", streams);
    gauge("weir_pool_resident_bytes", "Buffer memory backed by pages.", memory.resident());
    gauge("weir_pool_live_bytes", "Buffer memory handed out.", memory.live());
    gauge(
        "weir_pool_dirty_bytes", "Buffer memory free, but still backed by pages.", memory.dirty());
    gauge("weir_pool_limit_bytes", "The budget for buffer memory.", memory.limit());
    gauge(
        "weir_pool_suspected_leaks",
        "Places in the code that hold more and more old buffer memory; the console names them.",
        memory.suspects());
  }

  private void storage(StoreStats store) {
    gauge(
        "weir_unflushed_bytes",
        "Bytes of streams that only the data directory has: a lost disk would cost them.",
        store::unflushedBytes);
    GaugeWithCallback.builder()
        .name("weir_unflushed_seconds")
        .help("For how long the oldest change waits to be flushed; 0 without any.")
        .callback(callback -> callback.call(store.unflushedSeconds()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("weir_scrub_age_seconds")
        .help("For how long everything stored has not been verified: since a scrub, or the start.")
        .callback(callback -> callback.call(store.scrubAgeSeconds()))
        .register(registry);
    counter(
        "weir_store_damaged_segments_total",
        "Damaged segments that scrubs have found.",
        store::damagedSegments);
    gauge("weir_wal_bytes", "What the files of the WAL take.", store::walBytes);
    counter("weir_store_flushes_total", "Flushes that are through.", store::flushes);
    counter(
        "weir_store_flushed_bytes_total",
        "Bytes of segments that flushes have written.",
        store::flushedSegmentBytes);
    counter(
        "weir_store_compacted_bytes_total",
        "Bytes of segments that compaction has written.",
        store::compactedBytes);
    gauge(
        "weir_store_compaction_debt_bytes",
        "Bytes of streams that compaction is to write again.",
        store::compactionDebtBytes);
    CounterWithCallback.builder()
        .name("weir_store_requests_total")
        .help("Requests to the object store, by kind: head, read, put, list, delete.")
        .labelNames("kind")
        .callback(callback -> {
          for (CountedStore.Kind kind : CountedStore.Kind.values()) {
            callback.call((double) store.requests(kind), kind.name().toLowerCase(Locale.ROOT));
          }
        })
        .register(registry);
  }

  /** Shows the figures of a node that is copied. */
  public void replication(ReplicationFigures figures) {
    counter(
        "weir_replication_sent_bytes_total",
        "Bytes of manifests and files sent to those who copy this node.",
        figures.sentBytes());
    gauge("weir_replication_active", "Connections of those who copy it.", figures.connections());
    counter("weir_replication_refusals_total", "Requests for copies refused.", figures.refusals());
    gauge(
        "weir_replication_pinned_snapshots",
        "Snapshots that keep their segments on the disk.",
        figures.snapshots());
    gauge(
        "weir_replication_lag_bytes",
        "Bytes acknowledged that the newest snapshot does not have; 0 before the first.",
        figures.lagBytes());
    GaugeWithCallback.builder()
        .name("weir_replication_lag_seconds")
        .help("The age of the oldest change that the newest snapshot does not have.")
        .callback(callback -> callback.call(figures.lagSeconds().getAsDouble()))
        .register(registry);
  }

  private void gauge(String name, String help, LongSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  private void counter(String name, String help, LongSupplier value) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  /** What is logged of the node. */
  public Conditions conditions() {
    return conditions;
  }

  /** A response was begun. */
  public void responded(String protocol, String route, int status) {
    requests.labelValues(protocol, route, Integer.toString(status)).inc();
  }

  public void served(long bytes) {
    servedBytes.inc(bytes);
  }

  public void connectionOpened() {
    connections.incrementAndGet();
  }

  public void connectionClosed() {
    connections.decrementAndGet();
  }

  /** Connections open now. */
  public long openConnections() {
    return connections.get();
  }

  /** A connection beyond the limit was not served. */
  public void connectionRefused() {
    refusedConnections.inc();
  }

  /** A piece of a response found no memory at once. */
  public void waitedForMemory() {
    memoryWaits.inc();
    conditions.noMemory();
  }

  public void streamOpened() {
    openStreams.incrementAndGet();
  }

  public void streamClosed() {
    openStreams.decrementAndGet();
  }

  public void streamRefused() {
    refusedStreams.inc();
    conditions.noPlace();
  }

  /** A stream of HTTP/2 ended by an error; only those of this side are shown to all. */
  public void streamFailed(Failure failure, Throwable cause) {
    failedStreams.labelValues(failure.label()).inc();
    log("a stream", failure, cause);
  }

  /** A connection ended by an error; only those of this side are shown to others than debuggers. */
  public void connectionFailed(Failure failure, Throwable cause) {
    failedConnections.labelValues(failure.label()).inc();
    log("a connection", failure, cause);
  }

  private static void log(String what, Failure failure, Throwable cause) {
    switch (failure) {
      case PEER, TLS, STALLED -> LOG.log(System.Logger.Level.DEBUG, what + " was lost", cause);
      case MEMORY ->
          LOG.log(
              System.Logger.Level.WARNING,
              "{0} ended for want of memory: {1}",
              what,
              cause.toString());
      case ERROR -> LOG.log(System.Logger.Level.WARNING, what + " failed", cause);
    }
  }

  public String contentType() {
    return writer.getContentType();
  }

  /** All figures as text. */
  public String scrape() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
    try {
      writer.write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
