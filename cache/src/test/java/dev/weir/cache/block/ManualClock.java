package dev.weir.cache.block;

import java.util.PriorityQueue;

/** Time that passes when the test says so, and what is to be done then. */
final class ManualClock {
  private record Task(long nanos, long number, Runnable task) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(
          java.util.Comparator.comparingLong(Task::nanos).thenComparingLong(Task::number));

  private long nowNanos = Long.MAX_VALUE - 1_000_000_000L; // it wraps: only differences count
  private long elapsed;
  private long numbers;

  long nanos() {
    return nowNanos + elapsed;
  }

  void later(Runnable task, long delayNanos) {
    tasks.add(new Task(elapsed + delayNanos, numbers++, task));
  }

  int waiting() {
    return tasks.size();
  }

  void advance(long nanos) {
    long until = elapsed + nanos;
    while (!tasks.isEmpty() && tasks.peek().nanos <= until) {
      Task next = tasks.poll();
      elapsed = next.nanos;
      next.task.run();
    }
    elapsed = until;
  }

  /** Passes the time to the next task and runs it. */
  void runNext() {
    advance(Math.max(0, tasks.peek().nanos - elapsed));
  }

  long elapsedNanos() {
    return elapsed;
  }
}
