package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/**
 * One buffer together with what must happen when its memory goes back. Slices, duplicates and
 * retained views share its reference count, so the callback runs once, after the last of them.
 *
 * <p>A composite of a single component behaves as that component: contiguous, with a memory address
 * if the component has one. Its capacity is fixed.
 */
final class CountedByteBuf extends CompositeByteBuf {
  private final Runnable afterRelease;
  private final int fixedCapacity;

  /** Takes over {@code buffer}, which is empty, and offers the whole of its capacity. */
  CountedByteBuf(ByteBuf buffer, Runnable afterRelease) {
    super(buffer.alloc(), buffer.isDirect(), 1, buffer.setIndex(0, buffer.capacity()));
    this.afterRelease = afterRelease;
    this.fixedCapacity = buffer.capacity();
    setIndex(0, 0);
  }

  @Override
  public CompositeByteBuf capacity(int newCapacity) {
    if (newCapacity > fixedCapacity) {
      throw new IndexOutOfBoundsException(
          "capacity: " + newCapacity + " (expected: <= " + fixedCapacity + ", what was admitted)");
    }
    return super.capacity(newCapacity);
  }

  @Override
  protected void deallocate() {
    try {
      super.deallocate();
    } finally {
      afterRelease.run();
    }
  }
}
