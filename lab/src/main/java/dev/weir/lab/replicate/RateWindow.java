package dev.weir.lab.replicate;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The slowest and the fastest ten seconds of a stream of bytes, looked at every 100 ms. The first
 * second after its begin does not count: connections are made in it. A stretch in which nothing
 * more comes, as after the end, does not count either. Thread-safe.
 */
final class RateWindow implements AutoCloseable {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SECONDS = 10;

  private record Point(long nanos, long bytes) {}

  private final ArrayDeque<Point> window = new ArrayDeque<>();
  private final long skipUntilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
  private long slowest = Long.MAX_VALUE;
  private long fastest;
  private volatile boolean closed;

  /** One that is told of what has come, and does not look itself. */
  RateWindow() {}

  /** Begins to look. */
  static RateWindow start(LongSupplier bytes) {
    RateWindow window = new RateWindow();
    Thread.ofPlatform()
        .daemon()
        .name("rate-window")
        .start(() -> {
          while (!window.closed) {
            window.add(System.nanoTime(), bytes.getAsLong());
            LockSupport.parkNanos(PERIOD_NANOS);
          }
        });
    return window;
  }

  /** Takes a look in, at times that only grow. */
  synchronized void add(long nanos, long bytes) {
    Point last = window.peekLast();
    if (nanos < skipUntilNanos || (last != null && last.bytes == bytes)) {
      return;
    }
    window.addLast(new Point(nanos, bytes));
    Point first = window.getFirst();
    if (nanos - first.nanos < TimeUnit.SECONDS.toNanos(SECONDS)) {
      return;
    }
    long rate = (long) ((bytes - first.bytes) * 1e9 / (nanos - first.nanos));
    slowest = Math.min(slowest, rate);
    fastest = Math.max(fastest, rate);
    window.removeFirst();
  }

  /** Bytes a second; 0 if it has not lasted for ten. */
  synchronized long slowest() {
    return fastest == 0 ? 0 : slowest;
  }

  /** Bytes a second; 0 if it has not lasted for ten. */
  synchronized long fastest() {
    return fastest;
  }

  @Override
  public void close() {
    closed = true;
  }
}
