package dev.weir.netty.buffer;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/** A heap buffer whose array is counted by a budget from its allocation to its release. */
final class WeirHeapByteBuf extends UnpooledHeapByteBuf {
  private final ArraySource source;

  WeirHeapByteBuf(ArraySource source, ByteBufAllocator allocator, int capacity, int maxCapacity) {
    // Set before the superclass starts, because it takes its first array from there.
    this.source = source;
    super(allocator, capacity, maxCapacity);
  }

  @Override
  protected byte[] allocateArray(int bytes) {
    return source.take(bytes);
  }

  @Override
  protected void freeArray(byte[] array) {
    source.give(array);
  }
}
