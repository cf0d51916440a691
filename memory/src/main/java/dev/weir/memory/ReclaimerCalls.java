package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.callback.FirstFailure;
import dev.weir.memory.pressure.Reclaimer;
import dev.weir.memory.sync.SpinLock;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The calls of one reclaimer, by one thread at a time. Thread-safe. */
final class ReclaimerCalls {
  /** How long others wait for a call whose thread is blocked: 10 ms. Then they go on without it. */
  private static final long BLOCKED_PATIENCE_NANOS = 10_000_000;

  /**
   * How long for one whose thread is at work, or would be if it had a processor: 100 ms, many time
   * slices. What it is about to release would serve those who wait.
   */
  private static final long WORKING_PATIENCE_NANOS = 100_000_000;

  private record Call(Thread thread, long begunNanos) {}

  private final Reclaimer reclaimer;
  private final Budget holder;
  private final int priority;
  private final long workingPatienceNanos;
  private final FirstFailure failures;
  private final AtomicReference<@Nullable Call> underWay = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * No call yet.
   *
   * @param holder what it holds is charged to this budget or below
   */
  ReclaimerCalls(Reclaimer reclaimer, Budget holder, int priority) {
    this(reclaimer, holder, priority, WORKING_PATIENCE_NANOS);
  }

  ReclaimerCalls(Reclaimer reclaimer, Budget holder, int priority, long workingPatienceNanos) {
    this.workingPatienceNanos = workingPatienceNanos;
    this.reclaimer = reclaimer;
    this.holder = holder;
    this.priority = priority;
    this.failures = new FirstFailure("a reclaimer of budget '%s'".formatted(holder.path()));
  }

  int priority() {
    return priority;
  }

  /** Whether what it releases makes room in a budget; in the root it is pages. */
  boolean helps(Budget full) {
    return holder.isBelowOrSame(full);
  }

  /** Whether the calling thread is at a call. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  boolean isUnderWayHere() {
    Call call = underWay.get();
    return call != null && call.thread == Thread.currentThread();
  }

  /**
   * Asks for bytes, unless another thread does: then waits for its call to end.
   *
   * @return whether there may be more room than before
   */
  boolean ask(long bytes) {
    if (closed) {
      return false;
    }
    Call mine = new Call(Thread.currentThread(), System.nanoTime());
    Call other = underWay.compareAndExchange(null, mine);
    if (other != null) {
      return hasEnded(other);
    }
    try {
      return reclaimer.reclaim(bytes) > 0;
    } catch (Throwable e) {
      failures.report(e);
      return false;
    } finally {
      underWay.set(null);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a call is its identity
  private boolean hasEnded(Call other) {
    while (underWay.get() == other) {
      long nanos = System.nanoTime() - other.begunNanos;
      if (nanos > workingPatienceNanos
          || (nanos > BLOCKED_PATIENCE_NANOS && isBlocked(other.thread))) {
        return false;
      }
      SpinLock.giveWay();
    }
    return true;
  }

  private static boolean isBlocked(Thread thread) {
    return switch (thread.getState()) {
      case BLOCKED, WAITING, TIMED_WAITING -> true;
      case NEW, RUNNABLE, TERMINATED -> false;
    };
  }

  void close() {
    closed = true;
  }
}
