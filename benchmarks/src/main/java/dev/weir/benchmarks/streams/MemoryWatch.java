package dev.weir.benchmarks.streams;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.benchmarks.streams.process.ServerProcess;
import dev.weir.benchmarks.streams.process.StreamServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The most memory that a server has resident while something is measured, and of it the pool's. It
 * looks every 50 ms, and asks a node of ours for its pool each time, on a connection for operators.
 */
final class MemoryWatch {
  private static final long PERIOD_NANOS = 50_000_000;
  private static final double MIB = 1 << 20;
  private static final String RESIDENT = "\nweir_pool_resident_bytes ";

  private final StreamServer server;
  private final ServerProcess process;
  private final Thread thread = Thread.ofPlatform().daemon().name("memory").unstarted(this::look);
  private volatile boolean isOver;

  // Written by the thread that looks, read when that has ended.
  private double rssBytes;
  private double poolBytes;
  private double restBytes;
  private @Nullable IOException failure;

  private MemoryWatch(StreamServer server, ServerProcess process) {
    this.server = server;
    this.process = process;
  }

  /** Looks from now on. */
  static MemoryWatch start(StreamServer server, ServerProcess process) {
    MemoryWatch watch = new MemoryWatch(server, process);
    watch.thread.start();
    return watch;
  }

  /** Looks for the last time, and adds what it saw. */
  void end(Map<StreamsMetric, Double> figures) throws IOException {
    isOver = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while memory is watched");
    }
    if (failure != null) {
      throw failure;
    }
    figures.put(StreamsMetric.RSS, rssBytes / MIB);
    if (server.isWeir()) {
      figures.put(StreamsMetric.RSS_LESS_POOL, restBytes / MIB);
      figures.put(StreamsMetric.POOL, poolBytes / MIB);
    }
  }

  private void look() {
    try {
      boolean isLast;
      do {
        isLast = isOver;
        double pool = server.isWeir() ? poolBytesNow() : 0;
        double rss = process.figures().rssBytes();
        rssBytes = Math.max(rssBytes, rss);
        poolBytes = Math.max(poolBytes, pool);
        restBytes = Math.max(restBytes, rss - pool);
        if (!isLast) {
          LockSupport.parkNanos(this, PERIOD_NANOS);
        }
      } while (!isLast);
    } catch (IOException unreadable) {
      failure = unreadable;
    }
  }

  private double poolBytesNow() throws IOException {
    try (Socket socket = new Socket(process.address().getAddress(), process.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      int at = answer.indexOf(RESIDENT);
      if (at < 0) {
        throw new IOException("/metrics has no line of weir_pool_resident_bytes");
      }
      int start = at + RESIDENT.length();
      return Double.parseDouble(answer.substring(start, answer.indexOf('\n', start)).strip());
    }
  }
}
