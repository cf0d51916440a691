package dev.weir.compression.context;

import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.Block;
import org.jspecify.annotations.Nullable;

/**
 * Where contexts take their memory: out of a pool, or, where a library insists on its own, beside
 * it; the pool then sets as many pages aside, so that both together stay within its limit. Either
 * is charged to one budget. Thread-safe.
 */
public final class ContextMemory {
  private final Pool pool;
  private final Budget budget;

  /**
   * Charges a budget.
   *
   * @throws IllegalArgumentException if it is of another pool
   */
  public ContextMemory(Pool pool, Budget budget) {
    if (!budget.isOfSameTree(pool.rootBudget())) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), pool.options().name()));
    }
    this.pool = pool;
    this.budget = budget;
  }

  /** The pool. */
  public Pool pool() {
    return pool;
  }

  /** What is charged. */
  public Budget budget() {
    return budget;
  }

  /** Memory of the pool; null if it or the budget has no room. */
  public @Nullable Block tryAllocate(long bytes) {
    return pool.isClosed() ? null : pool.tryAllocate(bytes, budget);
  }

  /**
   * Sets room aside for memory that a library takes by itself.
   *
   * @return what gives it back when it is closed; null if there is no room now, in the Java heap
   *     neither, or the pool is closed, and then nobody else waits for it
   */
  public @Nullable Grant trySetAside(long bytes) {
    try {
      return pool.isClosed() ? null : pool.tryGrant(bytes, budget);
    } catch (OutOfMemoryError noRoom) {
      return null;
    } catch (IllegalStateException failure) {
      if (pool.isClosed()) {
        return null;
      }
      throw failure;
    }
  }
}
