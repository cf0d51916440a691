package dev.weir.replication.serve;

import dev.weir.replication.imports.Imports;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a server has done so far, and the places of its budget. Any thread. */
public final class ServeFigures {
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger imports = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final LongAdder sentBytes = new LongAdder();
  private final Map<Refusal, LongAdder> refusals = new EnumMap<>(Refusal.class);

  ServeFigures() {
    for (Refusal reason : Refusal.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  /** Connections that are open now. */
  public int connections() {
    return connections.get();
  }

  /** Requests that are being answered now. */
  public int activeRequests() {
    return requests.get();
  }

  /** Bytes of bodies that the system has taken. */
  public long sentBytes() {
    return sentBytes.sum();
  }

  /** Requests that were refused. */
  public long refusals() {
    return refusals.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Those for one reason. */
  public long refusals(Refusal reason) {
    LongAdder count = refusals.get(reason);
    return count == null ? 0 : count.sum();
  }

  /** Counts a connection, and returns whether there are at most so many places taken now. */
  boolean opened(int most) {
    return connections.incrementAndGet() + imports.get() <= most;
  }

  void closed() {
    connections.decrementAndGet();
  }

  /** The places of imports: as many as connections leave. */
  Imports.Places importPlaces(int most) {
    return new Imports.Places() {
      @Override
      public boolean tryTake() {
        if (imports.incrementAndGet() + connections.get() <= most) {
          return true;
        }
        imports.decrementAndGet();
        return false;
      }

      @Override
      public void giveBack() {
        imports.decrementAndGet();
      }
    };
  }

  void began() {
    requests.incrementAndGet();
  }

  void ended() {
    requests.decrementAndGet();
  }

  void sent(long bytes) {
    sentBytes.add(bytes);
  }

  void refused(Refusal reason) {
    LongAdder count = refusals.get(reason);
    if (count != null) {
      count.increment();
    }
  }
}
