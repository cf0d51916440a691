package dev.weir.server.http;

import java.util.HashMap;
import java.util.Map;

/**
 * What the client of a connection of HTTP/2 may send without having heard of it: an update of a
 * window waits behind all that was written before it, in this process and in two kernels. One that
 * answers a ping has read what is in front of it. For the connection's event loop.
 */
final class UnheardWindows {
  /** More than lies between two applications: the buffers of two kernels, and of this process. */
  static final long MOST_UNREAD_BYTES = 64L << 20;

  /** Bytes by stream, 0 for the connection: of updates in front of the ping that is under way. */
  private final Map<Integer, Long> asked = new HashMap<>();

  /** The same of those that were written since. */
  private final Map<Integer, Long> unasked = new HashMap<>();

  private boolean asking;

  /** Of content, since the ping that is under way. */
  private long sentBehindBytes;

  /** An update is being written. */
  void opened(int stream, int bytes) {
    unasked.merge(stream, (long) bytes, Long::sum);
  }

  void closed(int stream) {
    asked.remove(stream);
    unasked.remove(stream);
  }

  /**
   * Whether a client has used up all of a window that it is known to have heard of, and more is on
   * its way to it.
   *
   * @param windowBytes what it may send
   */
  boolean isAwaited(int stream, int windowBytes) {
    long unheardBytes = asked.getOrDefault(stream, 0L) + unasked.getOrDefault(stream, 0L);
    return unheardBytes > 0 && unheardBytes >= windowBytes;
  }

  /** Whether a ping has to be written now: one at a time. */
  boolean tryAsk() {
    if (asking || unasked.isEmpty()) {
      return false;
    }
    asking = true;
    sentBehindBytes = 0;
    asked.putAll(unasked);
    unasked.clear();
    return true;
  }

  /** Whether a ping is under way. */
  boolean isAsking() {
    return asking;
  }

  /** Content is being written: a client that takes so much behind a ping has read it. */
  void sent(int bytes) {
    if (asking) {
      sentBehindBytes += bytes;
      if (sentBehindBytes > MOST_UNREAD_BYTES) {
        heard();
      }
    }
  }

  /** The client has answered, or should have. */
  void heard() {
    asking = false;
    asked.clear();
  }
}
