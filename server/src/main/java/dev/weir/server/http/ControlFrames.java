package dev.weir.server.http;

import java.util.concurrent.TimeUnit;

/**
 * Counts the frames of a client that carry nothing of a request: each costs an answer, or the time
 * to look at it, and no limit on streams or bytes holds them.
 *
 * <p>What a client has to say of its requests and of the data that it takes is in proportion to
 * them, however fast they follow each other: that much is free, and a limit on the rest in a time
 * is enough.
 */
final class ControlFrames {
  /** A client sends some when it connects, and one or two in many seconds to see who is there. */
  static final int MAX_IN_WINDOW = 1000;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Its end, its priority, that it is not wanted any more. */
  private static final int FREE_FOR_A_REQUEST = 4;

  /** Each window is opened for what was taken: the stream's and the connection's. */
  private static final long WINDOWS = 2;

  /** The least that a client says of: many wait for 4 KiB, or half of the window. */
  private static final int SMALLEST_PIECE_BYTES = 1 << 10;

  private long windowBegan = System.nanoTime();
  private int count;
  private long free;

  void requestCame() {
    free += FREE_FOR_A_REQUEST;
  }

  void dataSent(int bytes) {
    free += WINDOWS * (1 + bytes / SMALLEST_PIECE_BYTES);
  }

  /** Counts one that comes now. */
  boolean isOneTooMany(long nowNanos) {
    if (free > 0) {
      free--;
      return false;
    }
    if (nowNanos - windowBegan > WINDOW_NANOS) {
      windowBegan = nowNanos;
      count = 0;
    }
    return ++count > MAX_IN_WINDOW;
  }
}
