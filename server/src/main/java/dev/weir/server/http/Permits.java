package dev.weir.server.http;

import java.util.concurrent.atomic.AtomicInteger;

/** So many of something at once, and no more. Any thread may ask. */
final class Permits {
  private final int limit;
  private final AtomicInteger taken = new AtomicInteger();

  Permits(int limit) {
    this.limit = limit;
  }

  /** Takes one if there is one; whoever has it gives it back once. */
  boolean tryTake() {
    if (taken.incrementAndGet() > limit) {
      taken.decrementAndGet();
      return false;
    }
    return true;
  }

  int taken() {
    return taken.get();
  }

  void giveBack() {
    taken.decrementAndGet();
  }
}
