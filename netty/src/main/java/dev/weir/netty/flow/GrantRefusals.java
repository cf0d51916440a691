package dev.weir.netty.flow;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;

/**
 * Tells the two reasons apart for which a pool refuses a grant at once, both of them a {@link
 * BudgetExceededError}: it can never be given, or too many wait already.
 */
final class GrantRefusals {
  /**
   * Promises leave at most an eighth of the limit, beside the slack, to other blocks and small
   * promises.
   */
  private static final int MAX_HEADROOM_SHARE = 8;

  private GrantRefusals() {}

  /** A size that {@code pool} can promise when nothing else is live, if perhaps not the largest. */
  static long surelyGrantableBytes(Pool pool) {
    long limitBytes = pool.limitBytes();
    return limitBytes - pool.slackBytes() - limitBytes / MAX_HEADROOM_SHARE;
  }

  /** Whether {@code pool} could have given the grant that it refused, had fewer been waiting. */
  static boolean isQueueFull(BudgetExceededError refused, Pool pool) {
    return isQueueFull(refused, pool, pool.rootBudget());
  }

  /** The same of a grant that was to be charged to a budget. */
  static boolean isQueueFull(BudgetExceededError refused, Pool pool, Budget budget) {
    return refused.requestedBytes() <= surelyGrantableBytes(pool)
        && !budget.refusesForEver(refused.requestedBytes());
  }
}
