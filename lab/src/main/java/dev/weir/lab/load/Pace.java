package dev.weir.lab.load;

import java.util.concurrent.locks.LockSupport;

/** Keeps one thread, best a virtual one, to so many bytes a second. Not thread-safe. */
final class Pace {
  private static final int MAX_BURST_BYTES = 64 * 1024;
  private static final int MIN_BURST_BYTES = 1024;

  /** A burst is what comes in a 20th of a second, within the two bounds. */
  private static final int BURSTS_A_SECOND = 20;

  private final int stepBytes;
  private final TokenBucket bucket;

  Pace(long bytesPerSecond) {
    int burstBytes = Math.clamp(bytesPerSecond / BURSTS_A_SECOND, MIN_BURST_BYTES, MAX_BURST_BYTES);
    // Half a burst, so that a thread woken late by as much as a step takes loses no tokens.
    stepBytes = burstBytes / 2;
    bucket = new TokenBucket(bytesPerSecond, burstBytes, System.nanoTime());
  }

  /** The most that may be moved at a time. */
  int stepBytes() {
    return stepBytes;
  }

  /** Waits until so many bytes may be moved. */
  void await(int bytes) {
    for (long nanos; (nanos = bucket.take(bytes, System.nanoTime())) > 0; ) {
      LockSupport.parkNanos(nanos);
    }
  }
}
