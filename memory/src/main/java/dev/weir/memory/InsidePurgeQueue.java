package dev.weir.memory;

import dev.weir.memory.callback.FirstFailures;
import dev.weir.memory.heap.InsidePurge;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.pages.InsidePurges;
import dev.weir.memory.sync.SpinLock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Pages inside slabs that their heaps have unlinked, and that wait for the system call which gives
 * them back. Thread-safe.
 */
final class InsidePurgeQueue {
  /** The most that waits for the purger's system calls: 1 MiB, which take it about 0.2 ms. */
  private static final long MAX_QUEUED_BYTES = 1L << 20;

  private final InsidePurges underWay;
  private final FirstFailures failures;
  private final Queue<InsidePurge> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();

  /**
   * An empty queue.
   *
   * @param underWay knows which purges have begun, queued or not
   * @param failures is told of system calls that fail on the way of an allocation
   */
  InsidePurgeQueue(InsidePurges underWay, FirstFailures failures) {
    this.underWay = underWay;
    this.failures = failures;
  }

  /**
   * Leaves a purge to the purger; where that does not keep up, whoever makes the garbage makes the
   * system call, and so slows down.
   */
  void add(InsidePurge purge) {
    long bytes = purge.bytes();
    if (queuedBytes.addAndGet(bytes) <= MAX_QUEUED_BYTES) {
      queue.add(purge);
      Purger.wake();
      return;
    }
    queuedBytes.addAndGet(-bytes);
    try {
      purge.run();
    } catch (NativeMemoryException e) {
      // The pages stay live; the allocation on whose way this is has nothing to do with it.
      failures.report(e);
    }
  }

  /**
   * Makes the system calls that wait.
   *
   * @return whether there were any
   */
  boolean run() {
    boolean any = false;
    for (InsidePurge purge = queue.poll(); purge != null; purge = queue.poll()) {
      queuedBytes.addAndGet(-purge.bytes());
      purge.run();
      any = true;
    }
    return any;
  }

  /** Waits for the system calls of the purges that have begun by now, and makes those that wait. */
  void awaitRunning() {
    long begun = underWay.announced();
    while (!underWay.haveEnded(begun)) {
      if (!run()) {
        SpinLock.giveWay();
      }
    }
  }
}
