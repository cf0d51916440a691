package dev.weir.netty.contract;

import dev.weir.memory.heap.SizeClasses;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Buffers that start in the smallest slot, grow through the classes into runs, and shrink to what
 * was asked for.
 */
class GrowingBufferContractTest extends DirectBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private static final int PEAK_BYTES = 3 * SizeClasses.MAX_SLOT_BYTES;

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    ByteBuf buffer = MEMORY.allocator().directBuffer(Math.min(1, maxCapacity), maxCapacity);
    int peak = Math.min(Math.max(capacity, PEAK_BYTES), maxCapacity);
    for (int step = 1; step < peak; step = step * 2 + 1) {
      buffer.capacity(step);
    }
    return buffer.capacity(peak).capacity(capacity);
  }
}
