package dev.weir.memory;

import dev.weir.memory.GrantLanes.Obstacle;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.budget.CreditRecall;
import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sync.SpinLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests for promised pages, in two lanes: small ones, of at most 64 KiB, and larger ones. In
 * each they are served in the order of their arrival. A 16th of the limit is the small ones' own:
 * so a giant that waits does not hold them up, and while it waits they take no more than that, so
 * they do not starve it. Among those who wait for a budget it is the same, but that each large one
 * is overtaken by a 16th of the budget's limit once, and only until a small one has to wait too.
 *
 * <p>Thread-safe. Futures are completed outside the lock, by the thread that calls {@link #serve}.
 */
final class GrantQueue {
  private static final int MAX_WAITING = 1 << 16;

  /** How soon what could not be told for want of room is told again: 100 ms. */
  private static final long AGAIN_NANOS = 100_000_000;

  private final PageHeap pages;
  private final Budget root;
  private final GrantOutcomes outcomes;
  private final Runnable withdrawn;
  private final SpinLock lock = new SpinLock();
  private final GrantLanes lanes = new GrantLanes();

  /** None that waits is hopeless within the limits of this; null: they are to be looked at. */
  private @Nullable GrantRoom lookedAtIn;

  /** Whether some may have been withdrawn since they were looked at. */
  private volatile boolean hasWithdrawn;

  private volatile int waiting;
  private boolean closed;

  /** Those that have ended and whose futures could not be completed. */
  private final EndedGrants undelivered = new EndedGrants();

  private volatile boolean hasUndelivered;

  GrantQueue(PageHeap pages, Budget root) {
    this(pages, root, GrantOutcomes.plain(pages), () -> {});
  }

  /**
   * An empty queue.
   *
   * @param withdrawn is told that a request has failed, or was withdrawn, by a cancellation or by a
   *     null: those behind it may fit
   */
  GrantQueue(PageHeap pages, Budget root, GrantOutcomes.Maker maker, Runnable withdrawn) {
    this.pages = pages;
    this.root = root;
    this.outcomes = new GrantOutcomes(pages, root, maker);
    this.withdrawn = withdrawn;
  }

  boolean hasWaiting() {
    return waiting > 0;
  }

  /** How many requests wait. */
  int waiting() {
    return waiting;
  }

  /** How many have waited until their deadline in vain. */
  long timedOut() {
    return outcomes.timedOut();
  }

  /** Whether somebody has not been told yet that waiting is over: {@link #serve} tries again. */
  boolean hasUndelivered() {
    return hasUndelivered;
  }

  /** Enters a request, charged to the root. */
  CompletableFuture<Grant> request(long bytes, long deadlineNanos) {
    return request(bytes, deadlineNanos, root);
  }

  /**
   * Enters a request for so many bytes, whole pages; served at once if nobody is before it and
   * there is room.
   */
  CompletableFuture<Grant> request(long bytes, long deadlineNanos, Budget budget) {
    WaitingGrant request = new WaitingGrant(bytes, budget, deadlineNanos);
    GrantRoom room = new GrantRoom(pages, root);
    if (room.isHopeless(request)) {
      return CompletableFuture.failedFuture(outcomes.hopeless(request));
    }
    // Before it is entered: where there is no room for this, nothing has happened.
    request.future.whenComplete((grant, failure) -> {
      if (grant == null) {
        hasWithdrawn = true;
        withdrawn.run();
      }
    });
    return switch (withCredit(request, () -> tryEnter(request, room))) {
      case SERVED -> {
        outcomes.grant(request);
        yield request.future;
      }
      case WAITS -> request.future;
      case FULL ->
          CompletableFuture.failedFuture(
              new BudgetExceededError(
                  root, bytes, "and %,d grants wait already".formatted(MAX_WAITING)));
      case CLOSED -> CompletableFuture.failedFuture(outcomes.closed());
    };
  }

  /**
   * Grants so many bytes, whole pages, at once, if nobody who waits is before such a request and
   * there is room; otherwise it leaves no trace.
   *
   * @return null where it does not
   * @throws IllegalStateException if the pool is closed
   */
  @Nullable Grant tryRequest(long bytes, Budget budget) {
    WaitingGrant request = new WaitingGrant(bytes, budget, /* deadlineNanos= */ 0);
    GrantRoom room = new GrantRoom(pages, root);
    return switch (withCredit(request, () -> tryServeNow(request, room))) {
      case SERVED -> outcomes.make(request);
      case CLOSED -> throw outcomes.closed();
      case WAITS, FULL -> null;
    };
  }

  /** Whether such a request would find room if fewer pages were live. */
  boolean isShortOfPages(long bytes) {
    Lane lane = WaitingGrant.laneOf(bytes);
    return bytes <= pages.promises().largestBytes(lane) && !pages.promises().admits(bytes, lane);
  }

  /**
   * Tries to serve a request, and if heaps hold credit that it may need, takes that back and tries
   * again: not under the lock, since that takes a moment. If credit is just taken back for those
   * that wait, tries again behind that.
   *
   * @param attempt returns null if it is to be made again
   */
  private Entry withCredit(WaitingGrant request, Supplier<@Nullable Entry> attempt) {
    try (CreditRecall recall = CreditRecall.in(root)) {
      Entry entry = attempt.get();
      while (entry == null) {
        if (request.hope == Hope.NONE) {
          SpinLock.giveWay();
        } else {
          recall.takeBack(request.budget);
        }
        entry = attempt.get();
      }
      return entry;
    }
  }

  private @Nullable Entry tryServeNow(WaitingGrant request, GrantRoom room) {
    lock.lock();
    try {
      if (closed) {
        return Entry.CLOSED;
      }
      if (lanes.tryServe(request, room) == Obstacle.NOTHING) {
        return Entry.SERVED;
      }
      return request.hope == Hope.NONE && !lanes.isCreditWanted() ? Entry.FULL : null;
    } finally {
      lock.unlock();
    }
  }

  /** What has become of a request that came. */
  private enum Entry {
    SERVED,
    WAITS,
    FULL,
    CLOSED
  }

  /**
   * Takes what a request wants, or has it wait; null if credit may be needed. Errors are made
   * outside the lock.
   */
  private @Nullable Entry tryEnter(WaitingGrant request, GrantRoom room) {
    Entry entry = Entry.FULL;
    lock.lock();
    try {
      if (closed) {
        return Entry.CLOSED;
      }
      // From here on its budget tells of room; if there is some already, it is found now.
      count(request, 1);
      try {
        Obstacle obstacle = lanes.tryServe(request, room);
        if (obstacle == Obstacle.NOTHING) {
          entry = Entry.SERVED;
        } else if (request.hope != Hope.NONE) {
          entry = null;
        } else if (waiting < MAX_WAITING) {
          if (lookedAtIn != null && !lookedAtIn.hasLimitsOf(room)) {
            // Limits have changed since this one was looked at.
            lookedAtIn = null;
          }
          lanes.add(request, obstacle);
          entry = Entry.WAITS;
        }
      } finally {
        count(request, entry == Entry.WAITS ? 0 : -1);
      }
    } finally {
      lock.unlock();
    }
    return entry;
  }

  /** Under the lock. */
  private void count(WaitingGrant request, int change) {
    waiting = lanes.size();
    if (request.budget.isTracked() && change > 0) {
      request.budget.beginWaiting(request.bytes);
    } else if (request.budget.isTracked() && change < 0) {
      request.budget.endWaiting();
    }
  }

  /**
   * Completes what fits; fails what is overdue, and what is more than limits that were lowered
   * meanwhile could ever give.
   *
   * @return nanoseconds until the next deadline; {@link Long#MAX_VALUE} if nobody waits
   */
  long serve(long nowNanos) {
    EndedGrants ended = new EndedGrants();
    long untilNext;
    boolean done = false;
    try (CreditRecall recall = CreditRecall.in(root)) {
      untilNext = serveOnce(nowNanos, ended);
      while (isCreditWanted()) {
        recall.takeBack(root);
        untilNext = serveOnce(nowNanos, ended);
      }
      done = true;
    } finally {
      try {
        if (!done) {
          doWithoutCredit();
        }
      } finally {
        completeAll(ended);
      }
    }
    return hasUndelivered ? Math.min(untilNext, AGAIN_NANOS) : untilNext;
  }

  private void doWithoutCredit() {
    lock.lock();
    lanes.doWithoutCredit();
    lock.unlock();
  }

  private long serveOnce(long nowNanos, EndedGrants all) {
    EndedGrants ended = new EndedGrants();
    GrantRoom room = new GrantRoom(pages, root);
    lock.lock();
    try {
      boolean limitsMoved = lookedAtIn == null || !lookedAtIn.hasLimitsOf(room);
      boolean anyWithdrawn = hasWithdrawn;
      if (anyWithdrawn) {
        hasWithdrawn = false;
      }
      // Unless this comes to its end, all are looked at the next time.
      lookedAtIn = null;
      long untilNext = lanes.serve(nowNanos, room, limitsMoved, anyWithdrawn, ended);
      lookedAtIn = room;
      return untilNext;
    } finally {
      try {
        countOut(ended);
        all.takeAll(ended);
        all.takeAll(undelivered);
        hasUndelivered = false;
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isCreditWanted() {
    lock.lock();
    try {
      return lanes.isCreditWanted();
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private void countOut(EndedGrants ended) {
    for (WaitingGrant request = ended.first(); request != null; request = request.next) {
      count(request, -1);
    }
  }

  /** What fails with one concerns no other; what could not be told is kept for the next time. */
  private void completeAll(EndedGrants ended) {
    for (WaitingGrant request = ended.poll(); request != null; request = ended.poll()) {
      try {
        outcomes.complete(request);
      } catch (RuntimeException | Error e) {
        keep(request);
      }
    }
  }

  private void keep(WaitingGrant request) {
    lock.lock();
    try {
      undelivered.add(request, request.end);
      hasUndelivered = true;
    } finally {
      lock.unlock();
    }
  }

  private List<WaitingGrant> firstWaiting() {
    lock.lock();
    try {
      return lanes.lookedAt();
    } finally {
      lock.unlock();
    }
  }

  /**
   * What the first that wait are short of: of pages, those that are next alone. One that has got
   * room since it was looked at is short of nothing: whoever made the room has called the purger,
   * or it is found in the next round.
   */
  List<Shortage> shortages() {
    List<Shortage> shortages = new ArrayList<>();
    long pageBytes = 0;
    for (WaitingGrant request : firstWaiting()) {
      if (request.isWithdrawn()) {
        // It stands in the way until the next look.
        continue;
      }
      Budget full = request.budget.limiting(request.bytes);
      if (full != null) {
        shortages.add(new Shortage(full, request.bytes));
      } else if (!pages.promises().admits(request.bytes, request.lane)) {
        pageBytes = Math.max(pageBytes, request.bytes);
      }
    }
    if (pageBytes > 0) {
      shortages.add(new Shortage(root, pageBytes));
    }
    return shortages;
  }

  /** Fails everything that waits and everything that comes. */
  void close() {
    EndedGrants ended = new EndedGrants();
    lock.lock();
    try {
      closed = true;
      lanes.endAll(ended);
      countOut(ended);
    } finally {
      lock.unlock();
    }
    completeAll(ended);
  }
}
