package dev.weir.netty.write;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings tasks to an event loop that may take none now, because its queue is full or there is no
 * Java heap for it: whoever waits for such a task waits for nothing else.
 */
final class LoopTasks {
  /** Long beside what a collector takes to make room, short for a peer. */
  private static final long RETRY_NANOS = 10_000_000;

  private LoopTasks() {}

  /**
   * Has {@code loop} run {@code task}: now, or as soon as it takes it; from any thread, which does
   * not wait. Those of one caller may overtake each other.
   *
   * @param lost runs instead, on any thread, if the loop has ended
   * @throws Error without the Java heap to try it again; neither runs then
   */
  static void bring(EventExecutor loop, Runnable task, Runnable lost) {
    try {
      loop.execute(task);
    } catch (Throwable refused) {
      if (loop.isShutdown()) {
        lost.run();
        return;
      }
      try {
        Thread.startVirtualThread(() -> insist(loop, task, lost));
      } catch (Throwable noHeap) {
        throw refused;
      }
    }
  }

  /** Nobody hears what is thrown here: so nothing ends it but the loop. */
  private static void insist(EventExecutor loop, Runnable task, Runnable lost) {
    while (!loop.isShutdown()) {
      try {
        LockSupport.parkNanos(RETRY_NANOS);
        loop.execute(task);
        return;
      } catch (Throwable refusedAgain) {
        // The queue is full, or there is no heap: for the task, or for waiting.
      }
    }
    lost.run();
  }
}
