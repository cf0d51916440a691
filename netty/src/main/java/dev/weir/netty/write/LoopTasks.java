package dev.weir.netty.write;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Brings tasks to an event loop that may take none now, because its queue is full or there is no
 * Java heap for it: whoever waits for such a task waits for nothing else.
 */
final class LoopTasks {
  /** Long beside what a collector takes to make room, short for a peer. */
  private static final long RETRY_MILLIS = 10;

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
        inAWhile().execute(() -> bring(loop, task, lost));
      } catch (Throwable noHeap) {
        throw refused;
      }
    }
  }

  private static Executor inAWhile() {
    return CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);
  }
}
