package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.profile.Sampler;
import dev.weir.memory.sync.SpinLock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests for promised pages, served in the order of their arrival. The one at the head waits
 * until it fits; nobody overtakes it, so a large request is not starved by small ones.
 *
 * <p>Thread-safe. Futures are completed outside the lock, by the thread that calls {@link #serve}.
 */
final class GrantQueue {
  private static final int MAX_WAITING = 1 << 16;

  private final PageHeap pages;
  private final RunHeap runs;
  private final Budget root;
  private final @Nullable Sampler sampler;
  private final SpinLock lock = new SpinLock();
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private volatile int waiting;
  private boolean closed;

  private record Waiting(long bytes, long deadlineNanos, CompletableFuture<Grant> future) {}

  GrantQueue(PageHeap pages, Budget root) {
    this(pages, new RunHeap(pages), root, /* sampler= */ null);
  }

  GrantQueue(PageHeap pages, RunHeap runs, Budget root, @Nullable Sampler sampler) {
    this.sampler = sampler;
    this.pages = pages;
    this.runs = runs;
    this.root = root;
  }

  boolean hasWaiting() {
    return waiting > 0;
  }

  /**
   * Enters a request for so many bytes, whole pages; served at once if nobody waits and there is
   * room.
   */
  CompletableFuture<Grant> request(long bytes, long deadlineNanos) {
    long largest = pages.largestPromiseBytes();
    if (bytes > largest) {
      return CompletableFuture.failedFuture(tooLarge(bytes, largest));
    }
    CompletableFuture<Grant> future = new CompletableFuture<>();
    lock.lock();
    try {
      if (closed) {
        return CompletableFuture.failedFuture(closedFailure());
      }
      if (!queue.isEmpty() || !pages.tryPromise(bytes)) {
        if (queue.size() == MAX_WAITING) {
          return CompletableFuture.failedFuture(
              new BudgetExceededError(
                  root, bytes, "and %,d grants wait already".formatted(MAX_WAITING)));
        }
        queue.add(new Waiting(bytes, deadlineNanos, future));
        waiting = queue.size();
        return future;
      }
    } finally {
      lock.unlock();
    }
    future.complete(new Grant(pages, runs, root, sampler, bytes));
    return future;
  }

  /**
   * Completes what fits; fails what is overdue, and what is more than a limit that was lowered
   * meanwhile could ever give.
   *
   * @return nanoseconds until the next deadline; {@link Long#MAX_VALUE} if nobody waits
   */
  long serve(long nowNanos) {
    List<Waiting> granted = new ArrayList<>();
    List<Waiting> overdue = new ArrayList<>();
    List<Waiting> tooLarge = new ArrayList<>();
    long nextNanos = Long.MAX_VALUE;
    long largest = pages.largestPromiseBytes();
    lock.lock();
    try {
      queue.removeIf(next -> {
        boolean never = next.bytes > largest;
        if (never) {
          tooLarge.add(next);
        }
        return never || next.future.isDone();
      });
      while (!queue.isEmpty() && pages.tryPromise(queue.element().bytes)) {
        granted.add(queue.remove());
      }
      for (Waiting next : queue) {
        long leftNanos = next.deadlineNanos - nowNanos;
        if (leftNanos <= 0) {
          overdue.add(next);
        } else {
          nextNanos = Math.min(nextNanos, leftNanos);
        }
      }
      queue.removeIf(next -> next.deadlineNanos - nowNanos <= 0);
      waiting = queue.size();
    } finally {
      lock.unlock();
    }
    for (Waiting next : granted) {
      Grant grant = new Grant(pages, runs, root, sampler, next.bytes);
      if (!next.future.complete(grant)) {
        grant.close();
      }
    }
    for (Waiting next : tooLarge) {
      next.future.completeExceptionally(tooLarge(next.bytes, largest));
    }
    for (Waiting next : overdue) {
      next.future.completeExceptionally(
          new TimeoutException(
              "no room for %,d bytes in budget '%s' before the deadline"
                  .formatted(next.bytes, root.path())));
    }
    return nextNanos;
  }

  /** Fails everything that waits and everything that comes. */
  void close() {
    List<Waiting> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(queue);
      queue.clear();
      waiting = 0;
    } finally {
      lock.unlock();
    }
    left.forEach(next -> next.future.completeExceptionally(closedFailure()));
  }

  private BudgetExceededError tooLarge(long bytes, long largest) {
    return new BudgetExceededError(
        root, bytes, "of which a single grant can get %,d".formatted(largest));
  }

  private IllegalStateException closedFailure() {
    return new IllegalStateException("pool '%s' is closed".formatted(root.name()));
  }
}
