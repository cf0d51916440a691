package dev.weir.netty.contract;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;

/** The same contract over Netty's adaptive allocator: it asks nothing that only Weir does. */
class NettyAdaptiveBufferContractTest extends DirectBufferContract {
  private static final AdaptiveByteBufAllocator ALLOCATOR =
      new AdaptiveByteBufAllocator(/* preferDirect= */ true);

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return ALLOCATOR.directBuffer(capacity, maxCapacity);
  }
}
