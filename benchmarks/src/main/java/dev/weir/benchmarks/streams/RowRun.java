package dev.weir.benchmarks.streams;

import dev.weir.benchmarks.streams.load.AppendLoad;
import dev.weir.benchmarks.streams.load.Delivery;
import dev.weir.benchmarks.streams.load.Load;
import dev.weir.benchmarks.streams.load.Preparation;
import dev.weir.benchmarks.streams.load.Readers;
import dev.weir.benchmarks.streams.load.Samples;
import dev.weir.benchmarks.streams.load.SegmentCopy;
import dev.weir.benchmarks.streams.load.Target;
import dev.weir.benchmarks.streams.process.ServerProcess;
import dev.weir.benchmarks.streams.process.StreamServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One round of one row with one server, which starts with an empty folder.
 *
 * @param server who is measured
 * @param folder for what it stores
 * @param load how appends are made
 * @param effort for how long
 */
record RowRun(StreamServer server, Path folder, AppendLoad load, StreamsEffort effort) {
  private static final int WARM_UP_BYTES = 1 << 10;

  /** Bytes a second. */
  private static final long SLOW_COPY = 200_000_000;

  /** Does it. */
  Map<StreamsMetric, Double> run(StreamsRow row) throws IOException {
    return switch (row.kind()) {
      case APPEND -> append(row);
      case CATCH_UP -> catchUp(row);
      case SSE -> deliver(row, Delivery.Way.SSE);
      case LONG_POLL -> deliver(row, Delivery.Way.LONG_POLL);
      case BESIDE -> beside(row);
      case COPIED -> copied(row);
    };
  }

  private Map<StreamsMetric, Double> append(StreamsRow row) throws IOException {
    try (ServerProcess process = ServerProcess.start(server, folder)) {
      Target target = new Target(process.address(), "append-", row.streams());
      Preparation.create(target);
      long writtenBefore = process.figures().writtenBytes();
      Load warmUp = load.run(target, row.bytes(), effort.warmUp());
      Load measured = succeeded(load.run(target, row.bytes(), effort.measured()));
      Map<StreamsMetric, Double> figures = figures(measured);
      double appendedBytes = (double) row.bytes() * (warmUp.answers() + measured.answers());
      long writtenBytes = process.stop() - writtenBefore;
      figures.put(StreamsMetric.WRITTEN, writtenBytes / appendedBytes);
      return figures;
    }
  }

  private Map<StreamsMetric, Double> catchUp(StreamsRow row) throws IOException {
    Map<StreamsMetric, Double> figures = new EnumMap<>(StreamsMetric.class);
    long bytes = Preparation.bytes(effort.pieces());
    try (ServerProcess process = ServerProcess.start(server, folder)) {
      Target target = new Target(process.address(), "history-", 1);
      Preparation.create(target);
      Preparation.fill(target, effort.pieces());
      Readers.once(target, row.readers(), bytes);
      Readers.during(target, row.readers(), effort.warmUp());
      MemoryWatch watch = MemoryWatch.start(server, process);
      figures.put(StreamsMetric.READ, Readers.during(target, row.readers(), effort.measured()));
      watch.end(figures);
      process.stop();
    }
    try (ServerProcess process = ServerProcess.start(server, folder)) {
      Target target = new Target(process.address(), "history-", 1);
      figures.put(StreamsMetric.FIRST_READ, Readers.once(target, row.readers(), bytes));
    }
    return figures;
  }

  private Map<StreamsMetric, Double> deliver(StreamsRow row, Delivery.Way way) throws IOException {
    try (ServerProcess process = ServerProcess.start(server, folder)) {
      warmUpAppends(process);
      Target target = new Target(process.address(), "live-", 1);
      Preparation.createText(target);
      Samples samples =
          Delivery.run(target, way, row.readers(), effort.warmUp(), effort.messages());
      Map<StreamsMetric, Double> figures = new EnumMap<>(StreamsMetric.class);
      figures.put(StreamsMetric.P50, samples.quantileMillis(0.5));
      figures.put(StreamsMetric.P99, samples.quantileMillis(0.99));
      return figures;
    }
  }

  /** Fifty messages a second leave the path of an append cold for minutes. */
  private void warmUpAppends(ServerProcess process) throws IOException {
    Target target = new Target(process.address(), "append-", 1);
    Preparation.create(target);
    succeeded(load.run(target, WARM_UP_BYTES, effort.warmUp()));
  }

  private Map<StreamsMetric, Double> beside(StreamsRow row) throws IOException {
    try (ServerProcess process = ServerProcess.start(server, folder)) {
      Target history = new Target(process.address(), "history-", 1);
      Target target = new Target(process.address(), "append-", row.streams());
      Preparation.create(history);
      Preparation.fill(history, effort.pieces());
      Preparation.create(target);
      Readers.beside(history, row.readers(), () -> load.run(target, row.bytes(), effort.warmUp()));
      Load[] measured = new Load[1];
      double read =
          Readers.beside(
              history,
              row.readers(),
              () -> measured[0] = succeeded(load.run(target, row.bytes(), effort.measured())));
      Map<StreamsMetric, Double> figures = figures(measured[0]);
      figures.put(StreamsMetric.READ, read);
      return figures;
    }
  }

  private Map<StreamsMetric, Double> copied(StreamsRow row) throws IOException {
    InetSocketAddress copies = ServerProcess.freeAddress();
    StreamServer copying =
        server.with(List.of("--replicate-listen", "127.0.0.1:" + copies.getPort()));
    try (ServerProcess process = ServerProcess.start(copying, folder)) {
      Target history = new Target(process.address(), "history-", 1);
      Target target = new Target(process.address(), "append-", row.streams());
      Preparation.create(history);
      Preparation.fill(history, effort.pieces());
      Preparation.create(target);
      // The first manifest is made in the warm-up.
      SegmentCopy.beside(copies, SLOW_COPY, () -> load.run(target, row.bytes(), effort.warmUp()));
      Map<StreamsMetric, Double> figures =
          figures(succeeded(load.run(target, row.bytes(), effort.measured())));
      Load[] measured = new Load[1];
      Readers.Work appends =
          () -> measured[0] = succeeded(load.run(target, row.bytes(), effort.measured()));
      SegmentCopy.beside(copies, SLOW_COPY, appends);
      figures.put(StreamsMetric.P99_SLOW_COPY, measured[0].p99Millis());
      figures.put(StreamsMetric.READ, SegmentCopy.beside(copies, 0, appends));
      figures.put(StreamsMetric.P99_FAST_COPY, measured[0].p99Millis());
      return figures;
    }
  }

  private Load succeeded(Load measured) throws IOException {
    if (measured.failures() > 0) {
      throw new IOException(
          "%s refused or lost %d of %d appends"
              .formatted(
                  server.label(), measured.failures(), measured.failures() + measured.answers()));
    }
    return measured;
  }

  private static Map<StreamsMetric, Double> figures(Load measured) {
    Map<StreamsMetric, Double> figures = new EnumMap<>(StreamsMetric.class);
    figures.put(StreamsMetric.APPENDS, measured.perSecond());
    figures.put(StreamsMetric.P99, measured.p99Millis());
    return figures;
  }
}
