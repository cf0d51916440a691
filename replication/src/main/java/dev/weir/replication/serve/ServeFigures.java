package dev.weir.replication.serve;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a server has done so far. Any thread. */
public final class ServeFigures {
  private final AtomicInteger connections = new AtomicInteger();
  private final LongAdder sentBytes = new LongAdder();
  private final LongAdder refusals = new LongAdder();

  ServeFigures() {}

  /** Connections that are open now. */
  public int connections() {
    return connections.get();
  }

  /** Bytes of bodies that the system has taken. */
  public long sentBytes() {
    return sentBytes.sum();
  }

  /** Requests that were refused. */
  public long refusals() {
    return refusals.sum();
  }

  /** Counts a connection, and returns whether there are at most so many now. */
  boolean opened(int most) {
    return connections.incrementAndGet() <= most;
  }

  void closed() {
    connections.decrementAndGet();
  }

  void sent(long bytes) {
    sentBytes.add(bytes);
  }

  void refused() {
    refusals.increment();
  }
}
