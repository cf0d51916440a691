package dev.weir.lab.replicate;

/** The time in which at least one copy runs. Thread-safe. */
final class BusyTime {
  private int running;
  private long begunNanos;
  private long nanos;

  synchronized void begin() {
    if (running++ == 0) {
      begunNanos = System.nanoTime();
    }
  }

  synchronized void end() {
    if (--running == 0) {
      nanos += System.nanoTime() - begunNanos;
    }
  }

  synchronized long nanos() {
    return nanos;
  }
}
