package dev.weir.server;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.metrics.MemoryFigures;
import org.jspecify.annotations.Nullable;

/** The node's buffers: one pool within the budget, and the allocator over it. */
record BufferMemory(Pool pool, WeirAllocator allocator) implements AutoCloseable {
  /**
   * Creates the pool.
   *
   * @param bytesPerSample how many allocated bytes there are to a sample of the live profile; 0 for
   *     none
   * @param hardening which buffers are hardened; null for what the process is told
   */
  static BufferMemory withBudget(
      long budgetBytes, long bytesPerSample, @Nullable HardeningRate hardening) {
    PoolOptions plain = PoolOptions.withLimit(budgetBytes).withName("node");
    PoolOptions options = hardening == null ? plain : hardening.in(plain);
    Pool pool =
        Pool.create(
            bytesPerSample == 0 ? options.withoutProfile() : options.withProfile(bytesPerSample));
    return new BufferMemory(pool, new WeirAllocator(pool));
  }

  MemoryFigures figures(LeakWatch leaks) {
    return new MemoryFigures(
        pool::residentBytes,
        pool::liveBlockBytes,
        pool::dirtyBytes,
        pool::limitBytes,
        () -> leaks.suspects().size());
  }

  @Override
  public void close() {
    allocator.close();
    pool.close();
  }
}
