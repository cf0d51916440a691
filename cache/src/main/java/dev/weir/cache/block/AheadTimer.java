package dev.weir.cache.block;

import java.util.concurrent.locks.ReentrantLock;

/** Has pages dropped that nobody has read when their time is over. One wait at a time. */
final class AheadTimer {
  private final ReentrantLock lock;
  private final PageTable table;
  private final BlockCacheOptions options;

  /** Somebody waits, or is about to. Under the lock. */
  private boolean runs;

  AheadTimer(ReentrantLock lock, PageTable table, BlockCacheOptions options) {
    this.lock = lock;
    this.table = table;
    this.options = options;
  }

  /** Whether the caller has to {@link #start} it after it has left the lock. Under the lock. */
  boolean arm() {
    boolean starts = !runs && table.hasAhead();
    runs |= starts;
    return starts;
  }

  /** Waits. Outside the lock. */
  void start(long nanos) {
    options.later().run(this::timeIsOver, nanos);
  }

  private void timeIsOver() {
    long nanos = 0;
    lock.lock();
    try {
      long now = options.clock().getAsLong();
      table.expire(now);
      runs = false;
      if (arm()) {
        nanos = table.nextDeadlineNanos() - now;
      }
    } finally {
      lock.unlock();
    }
    if (nanos > 0) {
      start(nanos);
    }
  }
}
