package dev.weir.memory;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.sync.SpinLock;

/**
 * Waits for event loops that have been asked for what their heaps keep free, on the way to a
 * refusal. A loop that sleeps answers within some ten microseconds; one that is at work, when it
 * comes to its next task, slab or release. Thread-safe.
 */
final class OwnerAnswers {
  /** How long a request waits: 2 ms. */
  private static final long PATIENCE_NANOS = 2_000_000;

  /**
   * A loop that has let somebody wait in vain is not waited for again for so many times as long:
   * one that is blocked costs those who are refused no more than a tenth of their time. All that
   * have not answered rest until the same moment, so that many cost no more than one.
   */
  private static final int REST = 10;

  /** After such a time an owner is asked to answer at its next release, too: 100 µs. */
  private static final long PATIENCE_WITH_TASKS_NANOS = 100_000;

  private final long patienceNanos;

  OwnerAnswers() {
    this(PATIENCE_NANOS);
  }

  OwnerAnswers(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /**
   * Waits until no heap has a request that its owner has not honoured, but for a bounded time, and
   * not for owners that have just let somebody wait in vain. Of the calling thread's own heap it is
   * honoured here, so that two loops can wait for each other.
   *
   * @return whether there was anything to wait for
   */
  boolean await(Iterable<OwnedHeap> heaps) {
    long begunNanos = System.nanoTime();
    boolean waited = false;
    boolean askedAtRelease = false;
    while (isAnyToAnswer(heaps, begunNanos)) {
      waited = true;
      long elapsedNanos = System.nanoTime() - begunNanos;
      if (elapsedNanos > patienceNanos) {
        restUntil(heaps, begunNanos + (1 + REST) * elapsedNanos);
        break;
      }
      if (!askedAtRelease && elapsedNanos > PATIENCE_WITH_TASKS_NANOS) {
        askedAtRelease = true;
        askAtRelease(heaps);
      }
      SpinLock.giveWay();
    }
    return waited;
  }

  private static void askAtRelease(Iterable<OwnedHeap> heaps) {
    for (OwnedHeap heap : heaps) {
      if (heap.isAsked()) {
        heap.askAtRelease();
      }
    }
  }

  private static void restUntil(Iterable<OwnedHeap> heaps, long nanos) {
    for (OwnedHeap heap : heaps) {
      if (heap.isAsked()) {
        heap.restUntil(nanos);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private static boolean isAnyToAnswer(Iterable<OwnedHeap> heaps, long nowNanos) {
    boolean any = false;
    for (OwnedHeap heap : heaps) {
      if (heap.owner() == Thread.currentThread()) {
        heap.answer();
      } else if (heap.isAsked() && !heap.restsAt(nowNanos)) {
        any = true;
      }
    }
    return any;
  }
}
