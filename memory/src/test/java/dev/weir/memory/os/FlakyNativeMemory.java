package dev.weir.memory.os;

import dev.weir.memory.testing.DelegatingNativeMemory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The real system, but purges fail now and then. Counts the reservations. */
public final class FlakyNativeMemory extends DelegatingNativeMemory {
  private final AtomicInteger reservations = new AtomicInteger();
  private final AtomicLong failures = new AtomicLong();
  private volatile double failureRate;

  /** No purge fails yet. */
  public FlakyNativeMemory() {
    super(NativeMemory.system());
  }

  /** Makes so many purges fail: 0 none, 1 all. */
  public void failAtRate(double rate) {
    failureRate = rate;
  }

  /** How many ranges are reserved. */
  public int reservations() {
    return reservations.get();
  }

  /** How many purges have failed. */
  public long failures() {
    return failures.get();
  }

  @Override
  public long reserve(long bytes) {
    long address = super.reserve(bytes);
    reservations.incrementAndGet();
    return address;
  }

  @Override
  public void purge(long address, long bytes) {
    if (ThreadLocalRandom.current().nextDouble() < failureRate) {
      failures.incrementAndGet();
      throw new NativeMemoryException("no purge of " + bytes + " bytes today");
    }
    super.purge(address, bytes);
  }

  @Override
  public void release(long address, long bytes) {
    reservations.decrementAndGet();
    super.release(address, bytes);
  }
}
