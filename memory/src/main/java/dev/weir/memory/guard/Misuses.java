package dev.weir.memory.guard;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.hardening.MisuseLog;
import dev.weir.memory.hardening.MisuseReport;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what a pool finds, keeps the last of it, and logs it: the first few, then more and more
 * rarely, since a mistake in a loop must not fill a disk. Thread-safe; not to be called under a
 * lock of the pool's.
 */
final class Misuses implements MisuseLog {
  private static final Logger LOG = System.getLogger(MisuseLog.class.getPackageName());

  /** So many of each kind are logged one by one; then the 32nd, the 64th, and so on. */
  private static final int LOGGED_ONE_BY_ONE = 16;

  private final String poolName;
  private final Map<Kind, AtomicLong> counts = new EnumMap<>(Kind.class);
  private final ArrayDeque<Misuse> latest = new ArrayDeque<>();

  Misuses(String poolName) {
    this.poolName = poolName;
    for (Kind kind : Kind.values()) {
      counts.put(kind, new AtomicLong());
    }
  }

  /** Counts a mistake that there is no room to tell of. */
  void count(Kind kind) {
    counter(kind).incrementAndGet();
  }

  /**
   * Records a mistake. Where the Java heap is full, or the log fails, it is only counted: this
   * throws nothing.
   */
  @Override
  public void add(Kind kind, String message, BlockHistory history) {
    long count = counter(kind).incrementAndGet();
    try {
      keep(
          new Misuse(
              kind,
              message,
              history.allocation(),
              history.releaseStack(),
              Thread.currentThread().getName()));
      if (count <= LOGGED_ONE_BY_ONE || Long.bitCount(count) == 1) {
        LOG.log(
            Level.ERROR,
            "pool '%s': %s (%s, number %,d)".formatted(poolName, message, kind, count),
            history.asCause());
      }
    } catch (RuntimeException | Error e) {
      // It has been counted, and what refuses an access says so itself.
    }
  }

  private AtomicLong counter(Kind kind) {
    return Objects.requireNonNull(counts.get(kind));
  }

  private synchronized void keep(Misuse misuse) {
    if (latest.size() == MisuseReport.MAX_LATEST) {
      latest.removeLast();
    }
    latest.addFirst(misuse);
  }

  /** How many there were in all. */
  long total() {
    return counts.values().stream().mapToLong(AtomicLong::get).sum();
  }

  MisuseReport report() {
    Map<Kind, Long> seen = new EnumMap<>(Kind.class);
    counts.forEach((kind, count) -> {
      if (count.get() > 0) {
        seen.put(kind, count.get());
      }
    });
    synchronized (this) {
      return new MisuseReport(seen, List.copyOf(latest));
    }
  }
}
