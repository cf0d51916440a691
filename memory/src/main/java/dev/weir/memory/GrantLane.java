package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import dev.weir.memory.budget.Budget;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one lane, in the order of their arrival. Nobody overtakes one that waits for
 * pages; one that waits for a budget is overtaken by those that its limit does not concern.
 *
 * <p>Not thread-safe: the queue's lock guards it. Linked through the requests, so that serving
 * needs no memory.
 */
final class GrantLane {
  /** How many are looked at for what would help them: that may cost as much as a system call. */
  private static final int LOOKED_AT = 16;

  private @Nullable WaitingGrant first;
  private @Nullable WaitingGrant last;
  private int size;

  /** Budgets that had no room for one that waits. */
  private final Set<Budget> full = new HashSet<>();

  private boolean isShortOfPages;

  /** What stands in the way of a request. */
  enum Obstacle {
    NOTHING,
    PAGES,
    BUDGET
  }

  /** The resources that requests want. */
  interface Room {
    /** Takes what a request wants, if it can. */
    Obstacle take(WaitingGrant request);

    /** Whether there will never be that much. */
    boolean isHopeless(WaitingGrant request);
  }

  int size() {
    return size;
  }

  /** Whether one that waits here waits for pages. */
  boolean isShortOfPages() {
    return isShortOfPages;
  }

  /** Serves a request if nobody is before it and there is room; otherwise the caller adds it. */
  boolean tryServe(WaitingGrant request, Room room) {
    if (isShortOfPages || isBehindOthers(request)) {
      return false;
    }
    Obstacle obstacle = room.take(request);
    if (obstacle == Obstacle.PAGES) {
      isShortOfPages = true;
    } else if (obstacle == Obstacle.BUDGET) {
      full.add(request.budget.limiting(request.bytes));
    }
    return obstacle == Obstacle.NOTHING;
  }

  private boolean isBehindOthers(WaitingGrant request) {
    for (Budget node = request.budget; node != null && !full.isEmpty(); node = node.parent()) {
      if (full.contains(node)) {
        return true;
      }
    }
    return false;
  }

  void add(WaitingGrant request) {
    WaitingGrant before = last;
    if (before == null) {
      first = request;
    } else {
      before.next = request;
    }
    last = request;
    size++;
  }

  /**
   * Serves what there is room for, and ends what need not wait any more.
   *
   * @param ended gets those that wait no longer, also when this fails
   * @return nanoseconds until the next deadline; {@link Long#MAX_VALUE} if there is none
   */
  long serve(long nowNanos, Room room, EndedGrants ended) {
    isShortOfPages = false;
    full.clear();
    long nextNanos = Long.MAX_VALUE;
    WaitingGrant before = null;
    for (WaitingGrant request = first; request != null; ) {
      WaitingGrant behind = request.next;
      End end = endOf(request, nowNanos, room);
      if (end == null) {
        nextNanos = Math.min(nextNanos, request.deadlineNanos - nowNanos);
        before = request;
      } else {
        unlink(before, request);
        ended.add(request, end);
      }
      request = behind;
    }
    return nextNanos;
  }

  /** Null if it goes on waiting. */
  private @Nullable End endOf(WaitingGrant request, long nowNanos, Room room) {
    if (request.isWithdrawn()) {
      return End.WITHDRAWN;
    }
    if (room.isHopeless(request)) {
      return End.HOPELESS;
    }
    if (tryServe(request, room)) {
      return End.GRANTED;
    }
    return request.deadlineNanos - nowNanos <= 0 ? End.OVERDUE : null;
  }

  private void unlink(@Nullable WaitingGrant before, WaitingGrant request) {
    if (before == null) {
      first = request.next;
    } else {
      before.next = request.next;
    }
    if (request.next == null) {
      last = before;
    }
    request.next = null;
    size--;
  }

  /** Adds the first that wait. */
  void addFirst(List<WaitingGrant> found) {
    WaitingGrant request = first;
    for (int i = 0; i < LOOKED_AT && request != null; i++) {
      found.add(request);
      request = request.next;
    }
  }

  /** Takes all out: the queue is closed. */
  void endAll(EndedGrants ended) {
    for (WaitingGrant request = first; request != null; request = first) {
      unlink(null, request);
      ended.add(request, End.CLOSED);
    }
  }
}
