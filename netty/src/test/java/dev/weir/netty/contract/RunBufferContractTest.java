package dev.weir.netty.contract;

import dev.weir.memory.Block;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buffers in runs of pages, whatever their capacity. */
class RunBufferContractTest extends DirectBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private static final int MIN_RUN_BYTES = SizeClasses.MAX_SLOT_BYTES + 1;

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    Block run = MEMORY.pool().allocate(Math.max(capacity, MIN_RUN_BYTES));
    return MEMORY.allocator().wrap(run, capacity, maxCapacity);
  }
}
