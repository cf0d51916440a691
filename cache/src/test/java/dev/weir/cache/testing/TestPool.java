package dev.weir.cache.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;

/** A pool that finds at its end whether something was lost. */
public final class TestPool implements AutoCloseable {
  public final Pool pool;
  public final Budget parent;

  public TestPool(long limitBytes) {
    pool = Pool.create(PoolOptions.withLimit(limitBytes).withName("caches"));
    parent = pool.rootBudget().child("parent", Budget.UNLIMITED);
  }

  /** Nothing is live, nothing is charged. */
  public void assertNothingLeft() {
    assertThat(pool.liveBlockBytes()).as("live blocks").isZero();
    assertThat(parent.chargedBytes()).as("charged").isZero();
    pool.checkInvariants();
  }

  @Override
  public void close() {
    assertNothingLeft();
    pool.close();
  }
}
