package dev.weir.compression;

import dev.weir.compression.context.ContextMemory;
import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;

/** Memory for contexts of which a test has single allocations refused. One thread at a time. */
public final class RefusingMemory extends ContextMemory {
  /** Which allocations are refused. */
  public enum Refused {
    /** One, as where others give memory back a moment later. */
    ONE,
    /** That one and all that follow. */
    ALL_FROM
  }

  private Refused refused = Refused.ONE;
  private int left = Integer.MAX_VALUE;
  private int refusals;

  RefusingMemory(Pool pool, Budget budget) {
    super(pool, budget);
  }

  /** From now on, refuses what comes behind so many allocations. */
  public void refuse(Refused which, int before) {
    refused = which;
    left = before;
    refusals = 0;
  }

  /** How many have been refused. */
  public int refusals() {
    return refusals;
  }

  private boolean refuses() {
    boolean now = left <= 0 && (refused == Refused.ALL_FROM || left == 0);
    left--;
    refusals += now ? 1 : 0;
    return now;
  }

  @Override
  public Block tryAllocate(long bytes) {
    return refuses() ? null : super.tryAllocate(bytes);
  }

  @Override
  public Grant trySetAside(long bytes) {
    return refuses() ? null : super.trySetAside(bytes);
  }
}
