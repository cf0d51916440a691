package dev.weir.server;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.metrics.MemoryFigures;

/** The node's buffers: one pool within the budget, and the allocator over it. */
record BufferMemory(Pool pool, WeirAllocator allocator) implements AutoCloseable {
  static BufferMemory withBudget(long budgetBytes) {
    Pool pool = Pool.create(PoolOptions.withLimit(budgetBytes).withName("node"));
    return new BufferMemory(pool, new WeirAllocator(pool));
  }

  MemoryFigures figures() {
    return new MemoryFigures(
        pool::residentBytes, pool::liveBlockBytes, pool::dirtyBytes, pool::limitBytes);
  }

  @Override
  public void close() {
    allocator.close();
    pool.close();
  }
}
