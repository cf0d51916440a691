package dev.weir.lab.replay;

import io.netty.channel.DefaultEventLoop;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The kinds of thread that a replay can run on. */
enum ReplayThread {
  /** Netty's: Weir and Netty's allocators have something of its own for each. */
  EVENT_LOOP("event-loop"),
  /** Any other. */
  PLAIN("plain");

  private final String label;

  ReplayThread(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Starts one such thread. */
  ScheduledExecutorService start() {
    return switch (this) {
      case EVENT_LOOP -> new DefaultEventLoop();
      case PLAIN -> Executors.newSingleThreadScheduledExecutor();
    };
  }

  /**
   * Finds a kind by its label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ReplayThread of(String label) {
    for (ReplayThread thread : values()) {
      if (thread.label.equals(label)) {
        return thread;
      }
    }
    throw new IllegalArgumentException(
        "no kind of thread '" + label + "'; there are event-loop, plain");
  }
}
