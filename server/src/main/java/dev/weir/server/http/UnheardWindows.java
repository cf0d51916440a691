package dev.weir.server.http;

import java.util.HashMap;
import java.util.Map;

/**
 * What the client of a connection of HTTP/2 may send without having heard of it: an update of a
 * window waits behind all that was written before it, in this process and in two kernels. One that
 * answers a ping has read what is in front of it. For the connection's event loop.
 */
final class UnheardWindows {
  /** Bytes by stream, 0 for the connection: of updates in front of the ping that is under way. */
  private final Map<Integer, Long> asked = new HashMap<>();

  /** The same of those that were written since. */
  private final Map<Integer, Long> unasked = new HashMap<>();

  private boolean asking;

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
    asked.putAll(unasked);
    unasked.clear();
    return true;
  }

  /** Whether a ping is under way. */
  boolean isAsking() {
    return asking;
  }

  /** The client has answered. */
  void heard() {
    asking = false;
    asked.clear();
  }
}
