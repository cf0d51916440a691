package dev.weir.server.http;

import java.util.concurrent.atomic.AtomicInteger;

/** So many of something at once, and no more. Any thread may ask. */
final class Places {
  private final int limit;
  private final AtomicInteger taken = new AtomicInteger();

  Places(int limit) {
    this.limit = limit;
  }

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
