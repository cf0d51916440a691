package dev.weir.netty.http;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings a task to an event loop. One that takes none now, because there is no Java heap for its
 * queue, or the queue is full, is asked again by a thread that may wait: whoever waits for such a
 * task waits for nothing else.
 */
final class HandBack {
  /** Long beside what a collector takes to make room, short for a client. */
  private static final long RETRY_NANOS = 10_000_000;

  /** Ten seconds' worth: a loop that takes nothing for so long serves nobody. */
  private static final int MAX_RETRIES = 1_000;

  private HandBack() {}

  /** What the loop is to run. */
  interface Task extends Runnable {
    /** On the event loop. */
    @Override
    void run();

    /** Called instead, on any thread, if the loop has ended or cannot be reached. */
    void lost();
  }

  /** Has {@code loop} run {@code task}; from any thread, which does not wait. */
  static void to(EventExecutor loop, Task task) {
    if (isTaken(loop, task)) {
      return;
    }
    if (!loop.isShutdown()) {
      try {
        Thread.startVirtualThread(() -> insist(loop, task));
        return;
      } catch (Throwable noThread) {
        // There is no room for that either.
      }
    }
    task.lost();
  }

  private static void insist(EventExecutor loop, Task task) {
    for (int retry = 0; retry < MAX_RETRIES && !loop.isShutdown(); retry++) {
      LockSupport.parkNanos(RETRY_NANOS);
      if (isTaken(loop, task)) {
        return;
      }
    }
    task.lost();
  }

  private static boolean isTaken(EventExecutor loop, Task task) {
    try {
      loop.execute(task);
      return true;
    } catch (Throwable endedOrNoRoom) {
      return false;
    }
  }
}
