package dev.weir.replication.serve;

import dev.weir.memory.Pool;
import dev.weir.replication.imports.ImportFigures;
import dev.weir.replication.imports.Imports;
import dev.weir.replication.net.RateLimit;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The figures of a server as Prometheus reads them. Any thread. */
final class ServeMetrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.builder().build();

  ServeMetrics(ServeFigures figures, @Nullable Imports imports, RateLimit rate, Pool pool) {
    counter("sent_bytes_total", "Bytes of bodies sent.", figures::sentBytes);
    gauge("connections", "Connections open now.", figures::connections);
    gauge("active_requests", "Requests that are being answered.", figures::activeRequests);
    gauge("rate_bytes", "The limit in bytes a second; 0 without one.", rate::bytesPerSecond);
    gauge("pool_resident_bytes", "Buffer memory backed by pages.", pool::residentBytes);
    gauge("pool_live_bytes", "Buffer memory handed out.", pool::liveBlockBytes);
    CounterWithCallback.builder()
        .name("weir_replication_refused_total")
        .help("Requests refused, by reason.")
        .labelNames("reason")
        .callback(callback -> {
          for (Refusal reason : Refusal.values()) {
            callback.call((double) figures.refusals(reason), reason.label());
          }
        })
        .register(registry);
    if (imports != null) {
      imports(imports);
    }
  }

  private void imports(Imports imports) {
    ImportFigures figures = imports.figures();
    counter("received_bytes_total", "Bytes of chunks that came.", figures::receivedBytes);
    counter("verified_bytes_total", "Bytes whose checksums were right.", figures::verifiedBytes);
    counter(
        "repeated_bytes_total",
        "Bytes sent again of chunks that were there.",
        figures::repeatedBytes);
    counter("wrong_chunks_total", "Chunks whose checksums were wrong.", figures::wrongChunks);
    counter("imports_total", "Imports that are complete.", figures::completed);
    gauge("active_imports", "Imports under way.", figures::active);
    gauge("queued_imports", "Imports that wait for a thread.", imports::queued);
  }

  private void gauge(String name, String help, LongSupplier value) {
    GaugeWithCallback.builder()
        .name("weir_replication_" + name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  private void counter(String name, String help, LongSupplier value) {
    CounterWithCallback.builder()
        .name("weir_replication_" + name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  String contentType() {
    return writer.getContentType();
  }

  /** All figures as text. */
  String scrape() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
    try {
      writer.write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
