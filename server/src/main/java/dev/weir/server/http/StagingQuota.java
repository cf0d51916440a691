package dev.weir.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** Memory that small bodies may take while they come in; without room they go to a file. */
final class StagingQuota {
  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  StagingQuota(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  boolean tryAcquire(long bytes) {
    long used = usedBytes.get();
    while (used + bytes <= limitBytes) {
      long witness = usedBytes.compareAndExchange(used, used + bytes);
      if (witness == used) {
        return true;
      }
      used = witness;
    }
    return false;
  }

  void release(long bytes) {
    usedBytes.addAndGet(-bytes);
  }

  long usedBytes() {
    return usedBytes.get();
  }
}
