package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.pages.PageHeap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * What requests get that wait no longer: a grant, or an error that says why not. Thread-safe, each
 * request one thread's. Completing a future runs what hangs on it: so not under the queue's lock.
 */
final class GrantOutcomes {
  private final PageHeap pages;
  private final Budget root;
  private final Maker maker;
  private final LongAdder timedOut = new LongAdder();

  /** For requests for the pages of a pool, whose budgets are below {@code root}. */
  GrantOutcomes(PageHeap pages, Budget root, Maker maker) {
    this.pages = pages;
    this.root = root;
    this.maker = maker;
  }

  /** Makes the grant that a request gets, whose pages are promised and charged. */
  interface Maker {
    Grant make(WaitingGrant request);
  }

  /** Makes grants whose blocks are neither sampled nor hardened, and get no aid to grow. */
  static Maker plain(PageHeap pages) {
    RunHeap runs = new RunHeap(pages);
    return request ->
        new Grant(
            pages,
            runs,
            (block, minBytes, budget) -> false,
            request.budget,
            null,
            null,
            request.bytes,
            request.lane);
  }

  /** The grant of a request that is served; where none can be made, nothing is promised for it. */
  Grant make(WaitingGrant request) {
    Grant grant = null;
    try {
      grant = maker.make(request);
      return grant;
    } finally {
      if (grant == null) {
        giveBack(request);
      }
    }
  }

  private void giveBack(WaitingGrant request) {
    try {
      pages.promises().giveBack(request.bytes, request.lane);
    } finally {
      request.budget.uncharge(request.bytes);
    }
  }

  /** Tells whoever asked what has become of a request. Where that fails, it can be done again. */
  void complete(WaitingGrant request) {
    switch (request.end) {
      case WITHDRAWN -> {}
      case GRANTED -> grant(request);
      case OVERDUE -> timeOut(request);
      case HOPELESS -> request.future.completeExceptionally(hopeless(request));
      case CLOSED -> request.future.completeExceptionally(closed());
      case FAILED -> fail(request);
    }
  }

  private void timeOut(WaitingGrant request) {
    timedOut.increment();
    request.future.completeExceptionally(
        new TimeoutException(
            "no room for %,d bytes in budget '%s' before the deadline"
                .formatted(request.bytes, request.budget.path())));
  }

  /** How many have waited until their deadline. */
  long timedOut() {
    return timedOut.sum();
  }

  /** Hands out what is promised and charged for a request, or takes it back. */
  void grant(WaitingGrant request) {
    Grant grant = null;
    boolean taken = false;
    try {
      grant = maker.make(request);
      taken = request.future.complete(grant);
    } catch (RuntimeException | Error e) {
      // Completing runs what hangs on the future: that may fail when the grant has been taken.
      taken = grant != null && isTaken(request.future, grant);
      request.end = End.FAILED;
      request.failure = e;
    } finally {
      if (!taken) {
        giveBack(request);
      }
    }
    if (!taken) {
      fail(request);
    }
  }

  private static void fail(WaitingGrant request) {
    Throwable failure = request.failure;
    if (failure != null) {
      request.future.completeExceptionally(failure);
    }
  }

  /** A future that was withdrawn by a null has another result. */
  private static boolean isTaken(CompletableFuture<Grant> future, Grant grant) {
    return future.state() == Future.State.SUCCESS && future.resultNow() == grant;
  }

  /** Why a request can never be served. */
  BudgetExceededError hopeless(WaitingGrant request) {
    long bytes = request.bytes;
    Budget refusing = request.budget.refusingForEver(bytes);
    long largest = pages.promises().largestBytes(request.lane);
    if (refusing == null && bytes > largest) {
      return new BudgetExceededError(
          root, bytes, "of which a single grant can get %,d".formatted(largest));
    }
    // Null: what was too low, a limit or the pages, has been raised since.
    Budget named = refusing == null ? request.budget : refusing;
    boolean hasLowLimit = refusing != null && !refusing.isClosed();
    return new BudgetExceededError(
        named,
        bytes,
        hasLowLimit ? "which is less than that" : "charged %,d".formatted(named.chargedBytes()));
  }

  /** Why nobody is served any more. */
  IllegalStateException closed() {
    return new IllegalStateException("pool '%s' is closed".formatted(root.name()));
  }
}
