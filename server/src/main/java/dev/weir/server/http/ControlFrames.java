package dev.weir.server.http;

import java.util.concurrent.TimeUnit;

/**
 * Counts the frames of a client that carry nothing: each costs an answer, or the time to look at
 * it, and no limit on streams or bytes holds them.
 */
final class ControlFrames {
  /** A client sends some when it connects, and one or two in many seconds to see who is there. */
  static final int MAX_IN_WINDOW = 1000;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private long windowBegan = System.nanoTime();
  private int count;

  /** Counts one that comes now. */
  boolean isOneTooMany(long nowNanos) {
    if (nowNanos - windowBegan > WINDOW_NANOS) {
      windowBegan = nowNanos;
      count = 0;
    }
    return ++count > MAX_IN_WINDOW;
  }
}
