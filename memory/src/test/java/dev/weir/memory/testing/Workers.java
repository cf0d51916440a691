package dev.weir.memory.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads of one test: daemons, so that one that hangs fails the test and not the build. */
public final class Workers {
  private static final long DEADLINE_SECONDS = 120;

  private final List<FutureTask<?>> tasks = new ArrayList<>();

  /** What a worker does. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Starts a platform thread. */
  public Workers platform(Work work) {
    return start(Thread.ofPlatform().daemon().factory(), work);
  }

  /** Starts a platform thread with so much stack, for it to come to the end of. */
  public Workers platformWithStack(long stackBytes, Work work) {
    return start(
        task -> {
          Thread thread = new Thread(null, task, "endless", stackBytes);
          thread.setDaemon(true);
          return thread;
        },
        work);
  }

  /** Starts a virtual thread. */
  public Workers virtual(Work work) {
    return start(Thread.ofVirtual().factory(), work);
  }

  private Workers start(ThreadFactory factory, Work work) {
    FutureTask<Void> task =
        new FutureTask<>(() -> {
          work.run();
          return null;
        });
    tasks.add(task);
    factory.newThread(task).start();
    return this;
  }

  /** Waits for all of them; fails with what the first one threw, or if one does not end. */
  public void join() throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    for (FutureTask<?> task : tasks) {
      try {
        task.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        throw new AssertionError("a worker failed: " + e.getCause(), e.getCause());
      } catch (TimeoutException e) {
        StringBuilder stacks = new StringBuilder("a worker hangs:\n");
        Thread.getAllStackTraces()
            .forEach((thread, frames) -> {
              stacks.append(thread).append('\n');
              for (StackTraceElement frame : frames) {
                stacks.append("  ").append(frame).append('\n');
              }
            });
        throw new AssertionError(stacks.toString(), e);
      }
    }
  }
}
