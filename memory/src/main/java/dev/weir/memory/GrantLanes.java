package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.pages.Lane;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait, in two lanes: small ones and larger ones. Nobody overtakes one of its
 * lane that waits for pages; nobody of either lane overtakes one that waits for a budget that it
 * would charge too, but for what {@link FullBudgets} allows.
 *
 * <p>Not thread-safe: the queue's lock guards it.
 */
/*
 * Those who wait are gone through at each release. So what one of them can get is looked at only where nobody stands
 * before it; whether it is hopeless, only when limits have changed; and behind one that waits for pages nobody is
 * looked at, unless somebody has been withdrawn, or is overdue.
 */
final class GrantLanes {
  /** How many are looked at for what would help them: that may cost as much as a system call. */
  private static final int LOOKED_AT = 16;

  private final GrantLane small = new GrantLane();
  private final GrantLane large = new GrantLane();
  private final FullBudgets full = new FullBudgets();
  private long arrivals;

  /** None that waits has an earlier deadline, if any waits. */
  private long nearestDeadlineNanos;

  /** See {@link #isCreditWanted}. */
  private boolean creditWanted;

  /** Whether some of those that have been looked at might fit without the credit of heaps. */
  private boolean anyHope;

  /** What stands in the way of a request. */
  enum Obstacle {
    NOTHING,
    /** Those that are before it. */
    OTHERS,
    PAGES,
    BUDGET
  }

  /** The resources that requests want. */
  interface Room {
    /**
     * Takes what a request wants, if it can, in a lane of promises. Where a budget stands in the
     * way, the request says which, and what hope there is.
     */
    Obstacle take(WaitingGrant request, Lane lane);

    /** Whether there will never be that much. */
    boolean isHopeless(WaitingGrant request);
  }

  int size() {
    return small.size() + large.size();
  }

  private GrantLane laneOf(WaitingGrant request) {
    return request.lane == Lane.PROMISE ? large : small;
  }

  /** Serves a request if nobody is before it and there is room. Otherwise nothing has changed. */
  Obstacle tryServe(WaitingGrant request, Room room) {
    request.hope = Hope.NONE;
    if (creditWanted || isHeldUp(request)) {
      return Obstacle.OTHERS;
    }
    Obstacle obstacle = take(request, room);
    if (obstacle == Obstacle.NOTHING) {
      full.served(request);
    }
    return obstacle;
  }

  /** Those who come later are to wait for what this one could not get. */
  private void standInTheWay(WaitingGrant request, Obstacle obstacle) {
    switch (obstacle) {
      case PAGES -> laneOf(request).isShortOfPages = true;
      case BUDGET -> full.add(request.fullBudget, request);
      case OTHERS -> full.addHeldUp(request);
      case NOTHING -> {}
    }
  }

  /** Whether somebody is before it. */
  private boolean isHeldUp(WaitingGrant request) {
    return laneOf(request).isShortOfPages || full.holdingUp(request) != null;
  }

  private Obstacle take(WaitingGrant request, Room room) {
    boolean ownShare = request.lane == Lane.SMALL_PROMISE && large.isShortOfPages;
    return room.take(request, ownShare ? Lane.OWN_SMALL_PROMISE : request.lane);
  }

  /** One that waits, since something stands in its way. */
  void add(WaitingGrant request, Obstacle obstacle) {
    standInTheWay(request, obstacle);
    if (size() == 0 || request.deadlineNanos - nearestDeadlineNanos < 0) {
      nearestDeadlineNanos = request.deadlineNanos;
    }
    request.number = arrivals++;
    laneOf(request).add(request);
  }

  /**
   * Serves what there is room for, and ends what need not wait any more.
   *
   * @param limitsMoved whether some may have become hopeless
   * @param withdrawn whether some may have been withdrawn
   * @param ended gets those that wait no longer, also when this fails
   * @return nanoseconds until the next deadline, at the latest; {@link Long#MAX_VALUE} if nobody
   *     waits
   */
  long serve(long nowNanos, Room room, boolean limitsMoved, boolean withdrawn, EndedGrants ended) {
    small.rewind();
    large.rewind();
    full.clear();
    creditWanted = false;
    anyHope = false;
    if (size() == 0) {
      return Long.MAX_VALUE;
    }
    boolean lookAtAll = limitsMoved || withdrawn || nearestDeadlineNanos - nowNanos <= 0;
    long nextNanos = Long.MAX_VALUE;
    for (GrantLane lane = next(); lane != null; lane = next()) {
      WaitingGrant request = lane.at();
      if (request == null || (lane.isShortOfPages && !lookAtAll)) {
        lane.passAll();
        continue;
      }
      End end = endOf(request, nowNanos, room, limitsMoved);
      if (end == null) {
        nextNanos = Math.min(nextNanos, request.deadlineNanos - nowNanos);
        lane.pass();
      } else {
        lane.remove();
        ended.add(request, end);
      }
    }
    if (size() == 0) {
      return Long.MAX_VALUE;
    }
    if (lookAtAll) {
      nearestDeadlineNanos = nowNanos + nextNanos;
    }
    return nearestDeadlineNanos - nowNanos;
  }

  /** The lane whose cursor is on the one that came first; null: both are at their end. */
  private @Nullable GrantLane next() {
    WaitingGrant nextSmall = small.at();
    WaitingGrant nextLarge = large.at();
    if (nextSmall == null || nextLarge == null) {
      return nextLarge != null ? large : nextSmall != null ? small : null;
    }
    return nextLarge.number < nextSmall.number ? large : small;
  }

  /** Null if it goes on waiting. */
  private @Nullable End endOf(WaitingGrant request, long nowNanos, Room room, boolean limitsMoved) {
    if (request.isWithdrawn()) {
      return End.WITHDRAWN;
    }
    if (limitsMoved && room.isHopeless(request)) {
      return End.HOPELESS;
    }
    if (creditWanted) {
      // All are looked at again; what those before it get then is not for this one.
      return null;
    }
    Obstacle obstacle = tryServe(request, room);
    if (obstacle == Obstacle.NOTHING) {
      return End.GRANTED;
    }
    boolean overdue = request.isOverdue(nowNanos);
    anyHope |= request.hope != Hope.NONE;
    boolean dependsOnHope = request.hope == Hope.SLIGHT || (obstacle == Obstacle.OTHERS && anyHope);
    creditWanted |= request.hope == Hope.GOOD || (overdue && dependsOnHope);
    if (overdue && !creditWanted) {
      return End.OVERDUE;
    }
    standInTheWay(request, obstacle);
    return null;
  }

  /**
   * Whether the last {@link #serve} has met some that may fit without the credit of heaps: it is to
   * be taken back then, and all are to be looked at again from the first such one on; until then
   * nobody who comes is before those that have not been looked at. Those that are overdue, or have
   * such a one before them, want it for any hope; the others only where it seems to be enough: else
   * each look would bring owners to the tree whose releases call for the next.
   */
  boolean isCreditWanted() {
    return creditWanted;
  }

  /** Credit is not taken back, or cannot be: those that come are served again. */
  void doWithoutCredit() {
    creditWanted = false;
  }

  /**
   * The first of each lane, and a few of those who are the first to wait for a budget: others each
   * time.
   */
  List<WaitingGrant> lookedAt() {
    List<WaitingGrant> found = new ArrayList<>();
    large.addFirst(found, LOOKED_AT);
    small.addFirst(found, LOOKED_AT);
    full.addWindow(found);
    return found;
  }

  /** Takes all out: the queue is closed. */
  void endAll(EndedGrants ended) {
    large.endAll(ended);
    small.endAll(ended);
  }
}
