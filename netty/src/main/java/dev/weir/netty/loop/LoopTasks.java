package dev.weir.netty.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings tasks to event loops. One that takes none now, because its queue is full or there is no
 * Java heap for it, is asked again by a thread that may wait: whoever waits for such a task waits
 * for nothing else.
 */
public final class LoopTasks {
  /** Long beside what a collector takes to make room, short for a peer. */
  private static final long RETRY_NANOS = 10_000_000;

  private LoopTasks() {}

  /** What a loop is to run. */
  @FunctionalInterface
  public interface Task extends Runnable {
    /** On the event loop. */
    @Override
    void run();

    /**
     * Called instead, on any thread, if the loop has ended, or, with {@link #bring}, where there is
     * no Java heap to try it again.
     */
    default void lost() {}
  }

  /**
   * Has {@code loop} run {@code task}, from any thread, or throws what the loop throws if it takes
   * none; neither runs nor calls anything then. A task that comes as the loop ends may be taken and
   * forgotten by Netty, whose queues give none back: it is lost when the loop has ended.
   */
  public static void execute(EventExecutor loop, Task task) {
    Taken taken = new Taken(task);
    loop.execute(taken);
    if (!loop.isShuttingDown()) {
      return; // It will run all that it has taken.
    }
    if (loop.isTerminated()) {
      taken.loopHasEnded();
      return;
    }
    try {
      loop.terminationFuture().addListener(ended -> taken.loopHasEnded());
    } catch (Throwable noHeap) {
      // Nobody would hear that the loop has ended: unless it runs the task now, it never will.
      if (taken.begin()) {
        throw noHeap;
      }
    }
  }

  /**
   * Has {@code loop} run {@code task}: now, or as soon as it takes it; from any thread, which does
   * not wait. Those of one caller may overtake each other. Throws nothing, if {@link Task#lost}
   * does not.
   *
   * @return false if the loop takes nothing now, and there is no Java heap to try it again: nothing
   *     is run or called then
   */
  public static boolean tryBring(EventExecutor loop, Task task) {
    try {
      execute(loop, task);
      return true;
    } catch (Throwable refused) {
      // Taken by nobody: see what there is to do about it.
    }
    if (loop.isShutdown()) {
      task.lost();
      return true;
    }
    try {
      Thread.startVirtualThread(() -> insist(loop, task));
      return true;
    } catch (Throwable noHeap) {
      return false;
    }
  }

  /** The same for a task that is lost too where there is no Java heap to try it again. */
  public static void bring(EventExecutor loop, Task task) {
    if (!tryBring(loop, task)) {
      task.lost();
    }
  }

  /**
   * The same for a thread that may wait, which none of a loop may: it waits until the loop takes
   * the task, or has ended. Throws nothing, if {@link Task#lost} does not.
   */
  public static void insist(EventExecutor loop, Task task) {
    while (!loop.isShutdown()) {
      try {
        LockSupport.parkNanos(RETRY_NANOS);
        execute(loop, task);
        return;
      } catch (Throwable refusedAgain) {
        // The queue is full, or there is no heap: for the task, or for waiting.
      }
    }
    task.lost();
  }

  /** A task that a loop has taken: of the loop, or of whoever takes it back first. */
  private static final class Taken implements Runnable {
    private final Task task;
    private final AtomicBoolean begun = new AtomicBoolean();

    Taken(Task task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (begin()) {
        task.run();
      }
    }

    /** Whether the caller has the task, and nobody else from now on. */
    boolean begin() {
      return begun.compareAndSet(false, true);
    }

    void loopHasEnded() {
      if (begin()) {
        task.lost();
      }
    }
  }
}
