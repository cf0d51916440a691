package dev.weir.compression.context;

import dev.weir.compression.codec.CorruptInputException;
import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import org.jspecify.annotations.Nullable;

/**
 * Where contexts take their memory: out of a pool, or, where a library insists on its own, beside
 * it; the pool then sets as many pages aside, so that both together stay within its limit. Either
 * is charged to one budget. Thread-safe, as subclasses are: they may refuse more than this does.
 */
public class ContextMemory {
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

  /**
   * What to throw where there was no room to decompress with a window.
   *
   * @param contextBytes what a context with such a window takes
   * @throws CorruptInputException if the pool or the budget never has room for that, however long
   *     somebody waits: a sender that is told of a want of memory would try it again for ever
   */
  public BudgetExceededError noRoomForWindow(String coding, long windowBytes, long contextBytes) {
    long allowedBytes = pool.largestGrantBytes(budget);
    if (contextBytes > allowedBytes) {
      throw new CorruptInputException(
          "%s: a window of %,d bytes is needed, for which a context takes %,d (budget '%s' allows %,d)"
              .formatted(coding, windowBytes, contextBytes, budget.path(), allowedBytes));
    }
    return new BudgetExceededError(
        budget, windowBytes, "there is no room to decompress with a window of that");
  }

  /**
   * Memory of the pool.
   *
   * @return null if it or the budget has no room now, or the pool is closed
   */
  public @Nullable Block tryAllocate(long bytes) {
    return tryTake(bytes, Pool::tryAllocate);
  }

  /**
   * Sets room aside for memory that a library takes by itself.
   *
   * @return what gives it back when it is closed; null as {@link #tryAllocate}, and then nobody
   *     else waits for it
   */
  public @Nullable Grant trySetAside(long bytes) {
    return tryTake(bytes, Pool::tryGrant);
  }

  @FunctionalInterface
  private interface Way<T> {
    @Nullable T tryTake(Pool from, long bytes, Budget charged);
  }

  private <T> @Nullable T tryTake(long bytes, Way<T> way) {
    try {
      return pool.isClosed() ? null : way.tryTake(pool, bytes, budget);
    } catch (IllegalStateException failure) {
      if (pool.isClosed()) {
        return null;
      }
      throw failure;
    }
  }
}
