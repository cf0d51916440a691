package dev.weir.replication.net;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate that several connections share: each takes its turn in time (the generic cell rate
 * algorithm). Any thread.
 */
public final class RateLimit {
  /** What was not used may be made up for so long. */
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final AtomicLong nextNanos = new AtomicLong(Long.MIN_VALUE);
  private volatile long bytesPerSecond;

  /**
   * A limit.
   *
   * @param bytesPerSecond 0 for none
   */
  public RateLimit(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Changes it while it is used; 0 for none. */
  public void set(long bytes) {
    bytesPerSecond = bytes;
  }

  /** The limit; 0 for none. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /** Whether there is a limit now. */
  public boolean isSet() {
    return bytesPerSecond > 0;
  }

  /**
   * Takes bytes.
   *
   * @param nowNanos the time, as {@link System#nanoTime()} has it
   * @return how long the caller has to wait before it goes on, in nanoseconds
   */
  public long take(long bytes, long nowNanos) {
    long rate = bytesPerSecond;
    if (rate <= 0) {
      return 0;
    }
    long costNanos = (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / rate);
    while (true) {
      long next = nextNanos.get();
      long earliest = nowNanos - BURST_NANOS;
      long start = next == Long.MIN_VALUE || next - earliest < 0 ? earliest : next;
      if (nextNanos.compareAndSet(next, start + costNanos)) {
        return Math.max(0, start + costNanos - nowNanos);
      }
    }
  }
}
