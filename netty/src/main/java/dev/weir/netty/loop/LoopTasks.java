package dev.weir.netty.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Brings tasks to event loops, whose holdings go back where the loop does not run them. */
public final class LoopTasks {
  private LoopTasks() {}

  /** What a loop is to run. */
  @FunctionalInterface
  public interface Task extends Runnable {
    /** On the event loop. */
    @Override
    void run();

    /** Called instead, on any thread, if the loop has ended or takes no task. */
    default void lost() {}
  }

  /**
   * Has {@code loop} run {@code task}, from any thread, or throws what the loop throws if it takes
   * none; neither runs nor calls anything then. A task that comes as the loop ends may be taken and
   * forgotten by Netty, whose queues give none back: it is lost when the loop has ended.
   */
  public static void execute(EventExecutor loop, Task task) {
    execute(loop, new Taken(task));
  }

  /** The same, but a task that the loop does not take is lost at once. */
  public static void bring(EventExecutor loop, Task task) {
    Taken taken = new Taken(task);
    try {
      execute(loop, taken);
    } catch (Throwable notTaken) {
      taken.lose();
    }
  }

  private static void execute(EventExecutor loop, Taken taken) {
    loop.execute(taken);
    if (!loop.isShuttingDown()) {
      return; // It will run all that it has taken.
    }
    if (loop.isTerminated()) {
      taken.lose();
    } else {
      loop.terminationFuture().addListener(ended -> taken.lose());
    }
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
      if (begun.compareAndSet(false, true)) {
        task.run();
      }
    }

    void lose() {
      if (begun.compareAndSet(false, true)) {
        task.lost();
      }
    }
  }
}
