package dev.weir.netty.http;

import org.jspecify.annotations.Nullable;

/**
 * What one body has of a {@link Spill}: a file, and so many bytes. Goes back once. Used by one
 * thread at a time.
 */
final class SpillRoom {
  private final Spill spill;
  private long bytes;
  private boolean closed;

  private SpillRoom(Spill spill, long bytes) {
    this.spill = spill;
    this.bytes = bytes;
  }

  /** Takes a file and {@code bytes}, or {@code null} if there is no room for that. */
  static @Nullable SpillRoom tryTake(Spill spill, long bytes) {
    SpillRoom room = new SpillRoom(spill, bytes);
    if (!spill.tryReserveFile()) {
      return null;
    }
    if (!spill.tryReserve(bytes)) {
      spill.giveBackFile(0);
      return null;
    }
    return room;
  }

  /** Has room for so many bytes in all, if there is. */
  boolean tryGrowTo(long allBytes) {
    if (allBytes > bytes) {
      if (!spill.tryReserve(allBytes - bytes)) {
        return false;
      }
      bytes = allBytes;
    }
    return true;
  }

  /** How many it has, whether anything has come for them or not. */
  long bytes() {
    return bytes;
  }

  /** Gives everything back. */
  void close() {
    if (!closed) {
      closed = true;
      spill.giveBackFile(bytes);
    }
  }
}
