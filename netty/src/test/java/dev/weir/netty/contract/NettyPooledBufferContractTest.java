package dev.weir.netty.contract;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/** The same contract over Netty's pooled allocator: it asks nothing that only Weir does. */
class NettyPooledBufferContractTest extends DirectBufferContract {
  private static final PooledByteBufAllocator ALLOCATOR =
      new PooledByteBufAllocator(/* preferDirect= */ true);

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return ALLOCATOR.directBuffer(capacity, maxCapacity);
  }
}
