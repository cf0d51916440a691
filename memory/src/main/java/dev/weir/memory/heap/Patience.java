package dev.weir.memory.heap;

/**
 * How long a thread that looks at slabs of others looks for counts that belong together, all slabs
 * taken together, before it takes what it sees: 1 s. Somebody moves slots for microseconds, but has
 * to wait for a time slice where the system interrupts that, and what is free in all the slabs of a
 * trim would pass for live meanwhile. For one thread.
 */
public final class Patience {
  private static final long NANOS = 1_000_000_000;

  private boolean begun;
  private long beganNanos;

  /** None has been used up. */
  public Patience() {}

  /** Whether it has lasted so long since it was asked first. */
  boolean isOver() {
    long now = System.nanoTime();
    if (!begun) {
      begun = true;
      beganNanos = now;
    }
    return now - beganNanos > NANOS;
  }
}
