package dev.weir.netty.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import org.jspecify.annotations.Nullable;

/** A heap buffer whose array is counted by a budget from its allocation to its release. */
final class WeirHeapByteBuf extends UnpooledHeapByteBuf {
  private final ArraySource source;

  /** Only while it shrinks: the array that it goes on with. */
  private byte @Nullable [] smaller;

  WeirHeapByteBuf(ArraySource source, ByteBufAllocator allocator, int capacity, int maxCapacity) {
    // Set before the superclass starts, because it takes its first array from there.
    this.source = source;
    super(allocator, capacity, maxCapacity);
  }

  /** Shrinking needs no room in the budget. */
  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity >= capacity()) {
      return super.capacity(newCapacity);
    }
    // Taken first: where the Java heap has no room for it, nothing has happened.
    smaller = source.takeSmaller(newCapacity);
    try {
      return super.capacity(newCapacity);
    } finally {
      smaller = null;
    }
  }

  @Override
  protected byte[] allocateArray(int bytes) {
    byte[] taken = smaller;
    return taken == null ? source.take(bytes) : taken;
  }

  @Override
  protected void freeArray(byte[] array) {
    byte[] kept = smaller;
    source.give(array, kept == null ? 0 : kept.length);
  }
}
