package dev.weir.netty.flow;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;

/**
 * Tells the two reasons apart for which a pool refuses a grant at once, both of them a {@link
 * BudgetExceededError}: it can never be given, or too many wait already.
 */
final class GrantRefusals {
  private GrantRefusals() {}

  /** Whether {@code pool} could have given the grant that it refused, had fewer been waiting. */
  static boolean isQueueFull(BudgetExceededError refused, Pool pool) {
    return isQueueFull(refused, pool, pool.rootBudget());
  }

  /** The same of a grant that was to be charged to a budget. */
  static boolean isQueueFull(BudgetExceededError refused, Pool pool, Budget budget) {
    return refused.requestedBytes() <= pool.largestGrantBytes(budget)
        && !budget.refusesForEver(refused.requestedBytes());
  }
}
