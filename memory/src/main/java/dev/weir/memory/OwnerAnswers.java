package dev.weir.memory;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.sync.SpinLock;

/**
 * Waits for event loops that have been asked for what their heaps keep free, on the way to a
 * refusal. A loop that sleeps answers within some ten microseconds; one that is at work, when it
 * comes to its next task or slab. Thread-safe.
 */
final class OwnerAnswers {
  /** How long a request waits: 2 ms. */
  private static final long PATIENCE_NANOS = 2_000_000;

  /**
   * After a wait that somebody has not answered nobody waits for so many times as long: a loop that
   * is blocked costs those who are refused no more than a tenth of their time.
   */
  private static final int REST = 10;

  private final long patienceNanos;
  private volatile long restsUntilNanos = System.nanoTime();

  OwnerAnswers() {
    this(PATIENCE_NANOS);
  }

  OwnerAnswers(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /**
   * Waits until no heap has a request that its owner has not honoured, but for a bounded time. Of
   * the calling thread's own heap it is honoured here, so that two loops can wait for each other.
   *
   * @return whether there was anything to wait for
   */
  boolean await(Iterable<OwnedHeap> heaps) {
    long begunNanos = System.nanoTime();
    if (begunNanos - restsUntilNanos < 0) {
      return false;
    }
    boolean waited = false;
    while (isAnyAsked(heaps)) {
      waited = true;
      long elapsedNanos = System.nanoTime() - begunNanos;
      if (elapsedNanos > patienceNanos) {
        restsUntilNanos = begunNanos + (1 + REST) * elapsedNanos;
        break;
      }
      SpinLock.giveWay();
    }
    return waited;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private static boolean isAnyAsked(Iterable<OwnedHeap> heaps) {
    boolean any = false;
    for (OwnedHeap heap : heaps) {
      if (heap.owner() == Thread.currentThread()) {
        heap.answer();
      } else if (heap.isAsked()) {
        any = true;
      }
    }
    return any;
  }
}
