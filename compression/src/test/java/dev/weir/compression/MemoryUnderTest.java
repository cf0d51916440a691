package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import java.util.concurrent.locks.LockSupport;

/** A pool, its allocator and a budget for contexts; at its end nothing may be left of them. */
public final class MemoryUnderTest implements AutoCloseable {
  private static final long LOOK_NANOS = 1_000_000;

  public final Pool pool;
  public final WeirAllocator allocator;
  public final Budget budget;
  public final RefusingMemory contexts;

  public MemoryUnderTest() {
    this(512L << 20);
  }

  public MemoryUnderTest(long limitBytes) {
    pool = Pool.create(PoolOptions.withLimit(limitBytes));
    allocator = new WeirAllocator(pool);
    budget = pool.rootBudget().child("compression", Budget.UNLIMITED);
    contexts = new RefusingMemory(pool, budget);
  }

  /** Compression whose contexts come from {@link #contexts}. */
  public Compression compression(ZstdLibrary library, CompressionOptions options) {
    return Compression.create(library, contexts, options);
  }

  /** Everything has been given back but what the pool keeps for later. */
  public void assertNothingHeld() {
    assertThat(budget.chargedBytes()).as("charged for contexts").isZero();
    assertThat(pool.liveBlockBytes()).as("live blocks").isZero();
  }

  /**
   * Has the garbage collector look for lost contexts until nothing of them is held. A block gives
   * back its charge before its memory: who sees the charge gone may be in between.
   */
  public void collectUntilNothingHeld() {
    boolean held = true;
    while (held && !Thread.currentThread().isInterrupted()) {
      System.gc();
      LockSupport.parkNanos(LOOK_NANOS);
      held = budget.chargedBytes() > 0 || pool.liveBlockBytes() > 0;
    }
    assertNothingHeld();
  }

  @Override
  public void close() {
    try {
      assertNothingHeld();
      pool.checkInvariants();
    } finally {
      allocator.close();
      pool.close();
    }
  }
}
