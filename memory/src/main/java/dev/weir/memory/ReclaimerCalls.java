package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.callback.FirstFailure;
import dev.weir.memory.pressure.Reclaimer;
import dev.weir.memory.sync.SpinLock;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The calls of one reclaimer, by one thread at a time. Thread-safe. */
final class ReclaimerCalls {
  /** How long others wait for a call whose thread is blocked: 10 ms. Then they go on without it. */
  private static final long BLOCKED_PATIENCE_NANOS = 10_000_000;

  /**
   * After how long a call is not waited for any more whose thread is at work, or would be if it had
   * a processor: what it is about to release would serve those who wait.
   */
  private static final long WORKING_PATIENCE_NANOS = Patience.MOST_NANOS;

  private record Call(Thread thread, long begunNanos) {}

  private final Reclaimer reclaimer;
  private final Budget holder;
  private final int priority;
  private final LongSupplier clock;
  private final FirstFailure failures;
  private final AtomicReference<@Nullable Call> underWay = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * No call yet.
   *
   * @param holder what it holds is charged to this budget or below
   */
  ReclaimerCalls(Reclaimer reclaimer, Budget holder, int priority) {
    this(reclaimer, holder, priority, System::nanoTime);
  }

  /** As above, by another clock, in nanoseconds. */
  ReclaimerCalls(Reclaimer reclaimer, Budget holder, int priority, LongSupplier clock) {
    this.clock = clock;
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
   * @param patience of the request that the bytes are for
   * @return whether there may be more room than before
   */
  boolean ask(long bytes, Patience patience) {
    if (closed) {
      return false;
    }
    Call mine = new Call(Thread.currentThread(), clock.getAsLong());
    Call other = underWay.compareAndExchange(null, mine);
    if (other != null) {
      return hasEnded(other, patience);
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
  private boolean hasEnded(Call other, Patience patience) {
    long begunNanos = clock.getAsLong();
    long nowNanos = begunNanos;
    while (underWay.get() == other && !isTooLong(other, nowNanos, patience, begunNanos)) {
      SpinLock.giveWay();
      nowNanos = clock.getAsLong();
    }
    patience.spend(nowNanos - begunNanos);
    return underWay.get() != other;
  }

  private static boolean isTooLong(Call other, long nowNanos, Patience patience, long begunNanos) {
    long callNanos = nowNanos - other.begunNanos;
    return patience.endsAfter(nowNanos - begunNanos)
        || callNanos > WORKING_PATIENCE_NANOS
        || (callNanos > BLOCKED_PATIENCE_NANOS && isBlocked(other.thread));
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
