package dev.weir.compression.http;

import dev.weir.compression.RefusingMemory.Refused;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Hands out the buffers of another allocator, and fails at one of them, or from there on. */
final class FailingAllocator extends AbstractByteBufAllocator {
  /** As the JDK refuses direct memory. */
  static final String MESSAGE = "Cannot reserve 1 bytes of direct buffer memory";

  private final ByteBufAllocator delegate;
  private final Refused refused;
  private int left;
  private boolean failed;

  FailingAllocator(ByteBufAllocator delegate, Refused refused, int before) {
    super(/* preferDirect= */ true);
    this.delegate = delegate;
    this.refused = refused;
    this.left = before;
  }

  boolean hasFailed() {
    return failed;
  }

  private void count() {
    boolean fails = left == 0 || (left < 0 && refused == Refused.ALL_FROM);
    left--;
    if (fails) {
      failed = true;
      throw new OutOfMemoryError(MESSAGE);
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
