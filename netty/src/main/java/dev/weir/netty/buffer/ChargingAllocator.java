package dev.weir.netty.buffer;

import dev.weir.memory.budget.Budget;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;

/**
 * A view of an allocator whose buffers are charged to a budget of their own. Cheap: it keeps no
 * memory.
 */
public final class ChargingAllocator extends AbstractByteBufAllocator {
  private final BlockSource blocks;
  private final ArraySource arrays;

  /** Views the allocator behind {@code blocks} and {@code arrays}, and charges {@code budget}. */
  public ChargingAllocator(BlockSource blocks, ArraySource arrays, Budget budget) {
    super(/* preferDirect= */ true);
    this.blocks = blocks.charging(budget, this);
    this.arrays = arrays.charging(budget, this);
  }

  // As in WeirAllocator: code of its own.

  @Override
  public ByteBuf ioBuffer(int initialCapacity) {
    return directBuffer(initialCapacity);
  }

  @Override
  public ByteBuf directBuffer(int initialCapacity) {
    return directBuffer(initialCapacity, Integer.MAX_VALUE);
  }

  @Override
  public ByteBuf directBuffer(int initialCapacity, int maxCapacity) {
    return 0 < initialCapacity && initialCapacity <= maxCapacity
        ? newDirectBuffer(initialCapacity, maxCapacity)
        : super.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    if (level == ResourceLeakDetector.Level.DISABLED) {
      return blocks.buffer(initialCapacity, maxCapacity);
    }
    if (level == ResourceLeakDetector.Level.SIMPLE) {
      return blocks.sampledBuffer(initialCapacity, maxCapacity);
    }
    // Accesses are recorded too, which Netty's wrappers do.
    return toLeakAwareBuffer(blocks.detachedBuffer(initialCapacity, maxCapacity));
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return toLeakAwareBuffer(arrays.buffer(initialCapacity, maxCapacity));
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }
}
