package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.pages.Lane;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request for a grant, and its place among others. Guarded by the queue's lock. */
final class WaitingGrant {
  /** Whole pages. */
  final long bytes;

  /** {@link Lane#SMALL_PROMISE} or {@link Lane#PROMISE}. */
  final Lane lane;

  final Budget budget;

  /** The one from there up that had no room for it, the last time that a budget had none. */
  Budget fullBudget;

  /** Whether it might have found room if heaps held no credit, when it was looked at last. */
  Hope hope = Hope.NONE;

  /** When it is no longer wanted, as a {@link System#nanoTime} value. */
  final long deadlineNanos;

  final CompletableFuture<Grant> future = new CompletableFuture<>();

  /**
   * The one behind it in its lane; once it waits no longer, in the list of those that have ended.
   */
  @Nullable WaitingGrant next;

  /** Its place in the order of arrival, across the lanes. */
  long number;

  /** What later requests have got of the budget for which it is the first to wait. */
  long overtakenBytes;

  /** What they may still get of it before it, unless one of them waits too. */
  long overtakableBytes;

  End end = End.WITHDRAWN;

  /** With {@link End#FAILED}. */
  @Nullable Throwable failure;

  /** Why it waits no longer. */
  enum End {
    WITHDRAWN,
    GRANTED,
    OVERDUE,
    HOPELESS,
    CLOSED,
    /** The Java virtual machine had no room for what was to be handed out. */
    FAILED
  }

  WaitingGrant(long bytes, Budget budget, long deadlineNanos) {
    this.bytes = bytes;
    this.lane = laneOf(bytes);
    this.budget = budget;
    this.fullBudget = budget;
    this.deadlineNanos = deadlineNanos;
  }

  /** Where a request for so many bytes waits. */
  static Lane laneOf(long bytes) {
    return bytes <= Lane.MAX_SMALL_PROMISE_BYTES ? Lane.SMALL_PROMISE : Lane.PROMISE;
  }

  /** Whether its deadline has come. */
  boolean isOverdue(long nowNanos) {
    return deadlineNanos - nowNanos <= 0;
  }

  /** Whether somebody has withdrawn it. */
  boolean isWithdrawn() {
    return future.isDone();
  }
}
