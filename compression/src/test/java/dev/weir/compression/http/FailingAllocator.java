package dev.weir.compression.http;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Hands out the buffers of another allocator, and fails at one of them. */
final class FailingAllocator extends AbstractByteBufAllocator {
  private final ByteBufAllocator delegate;
  private int left;
  private boolean failed;

  FailingAllocator(ByteBufAllocator delegate, int before) {
    super(/* preferDirect= */ true);
    this.delegate = delegate;
    this.left = before;
  }

  boolean hasFailed() {
    return failed;
  }

  private void count() {
    if (left-- == 0) {
      failed = true;
      throw new OutOfMemoryError("made to fail");
    }
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    count();
    return delegate.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    count();
    return delegate.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }
}
