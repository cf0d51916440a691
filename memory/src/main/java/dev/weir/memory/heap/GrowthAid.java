package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;

/** What a block that grows falls back on where its budget or the pool has no room at once. */
@FunctionalInterface
public interface GrowthAid {
  /**
   * Has others make room, and tries {@link GrowingRun#tryGrowAtOnce} again. Takes its time; holds
   * no lock.
   *
   * @return whether the block has grown
   */
  boolean tryGrow(GrowingRun block, long minBytes, Budget budget);
}
