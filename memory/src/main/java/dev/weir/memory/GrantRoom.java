package dev.weir.memory;

import dev.weir.memory.GrantLanes.Obstacle;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.RefusedCharge;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;

/**
 * What grants are made of: pages, and room in the budget that pays for them, both or none. With the
 * limits of the moment at which it was made. Thread-safe.
 */
final class GrantRoom implements GrantLanes.Room {
  private final PageHeap pages;
  private final long limitChanges;
  private final long largestBytes;
  private final long largestSmallBytes;

  /** That of a pool with these pages, whose budgets are below {@code root}. */
  GrantRoom(PageHeap pages, Budget root) {
    this.pages = pages;
    this.limitChanges = root.limitChanges();
    this.largestBytes = pages.promises().largestBytes(Lane.PROMISE);
    this.largestSmallBytes = pages.promises().largestBytes(Lane.SMALL_PROMISE);
  }

  @Override
  public Obstacle take(WaitingGrant request, Lane lane) {
    // Charges are not taken back from here, but in a race: whoever waits for charges would be
    // woken for that.
    if (!pages.promises().admits(request.bytes, lane)) {
      return Obstacle.PAGES;
    }
    RefusedCharge refused = request.budget.chargeUnlessFull(request.bytes);
    if (refused != null) {
      request.fullBudget = refused.full();
      request.hope = refused.hope();
      return Obstacle.BUDGET;
    }
    if (!pages.promises().tryMake(request.bytes, lane)) {
      request.budget.uncharge(request.bytes);
      return Obstacle.PAGES;
    }
    return Obstacle.NOTHING;
  }

  @Override
  public boolean isHopeless(WaitingGrant request) {
    long largest = request.lane == Lane.PROMISE ? largestBytes : largestSmallBytes;
    return request.bytes > largest
        || (request.budget.isTracked() && request.budget.refusesForEver(request.bytes));
  }

  boolean hasLimitsOf(GrantRoom other) {
    return limitChanges == other.limitChanges
        && largestBytes == other.largestBytes
        && largestSmallBytes == other.largestSmallBytes;
  }
}
