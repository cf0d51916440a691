package dev.weir.netty.flow;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Handlers that are to be resumed still, since their event loop took no task. In a stack through
 * themselves: there may be no Java heap for anything else. Any thread.
 */
final class Unresumed {
  private final AtomicReference<@Nullable ReadGateHandler> top = new AtomicReference<>();

  /** Notes a handler, once. */
  void add(ReadGateHandler handler) {
    if (!handler.markUnresumed()) {
      return;
    }
    ReadGateHandler below;
    do {
      below = top.get();
      handler.setBelow(below);
    } while (!top.compareAndSet(below, handler));
  }

  /**
   * Lets one through {@code closing}, if the event loop of any takes a task now; the others stay,
   * as listeners do, which would bring new work.
   *
   * @return null if there is none
   */
  @Nullable ReadGateHandler letOneThrough(long closing) {
    ReadGateHandler resumed = null;
    ReadGateHandler next = top.getAndSet(null);
    while (next != null) {
      ReadGateHandler handler = next;
      next = handler.takeBelow();
      if (resumed != null || handler.isListener()) {
        add(handler);
        continue;
      }
      if (handler.tryLetThrough(closing)) {
        resumed = handler;
      }
    }
    return resumed;
  }

  /** Resumes all; those whose event loop takes no task now come back. */
  void resumeAll() {
    ReadGateHandler next = top.getAndSet(null);
    while (next != null) {
      ReadGateHandler handler = next;
      next = handler.takeBelow();
      handler.resume();
    }
  }
}
