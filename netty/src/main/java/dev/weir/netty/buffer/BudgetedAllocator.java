package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.Block;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;

/**
 * Netty's side of a {@link BlockSource} and an {@link ArraySource} that charge one budget: the
 * methods that hand out buffers, and what the leak detector's level makes of them. Any thread.
 */
/*
 * What is inherited is compiled once for all allocators of a process, Netty's unpooled one among them, and becomes too
 * large to be inlined where buffers are asked for. So the methods on the way to a direct buffer are overridden here.
 */
public abstract class BudgetedAllocator extends AbstractByteBufAllocator {
  private final BlockSource blocks;
  private final ArraySource arrays;

  /**
   * Buffers of {@code pool}, charged to {@code budget}.
   *
   * @param preferDirect whether the {@code buffer()} methods give direct buffers
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  @SuppressWarnings(
      "this-escape") // Both keep it for the buffers that come later, and call nothing.
  protected BudgetedAllocator(
      Pool pool, ThreadHeaps heaps, HeapArrays heapArrays, Budget budget, boolean preferDirect) {
    super(preferDirect);
    blocks = new BlockSource(pool, heaps, budget, this);
    arrays = new ArraySource(heapArrays, budget, this);
  }

  @Override
  public final ByteBuf ioBuffer(int initialCapacity) {
    return directBuffer(initialCapacity);
  }

  @Override
  public final ByteBuf directBuffer(int initialCapacity) {
    return directBuffer(initialCapacity, Integer.MAX_VALUE);
  }

  @Override
  public final ByteBuf directBuffer(int initialCapacity, int maxCapacity) {
    return 0 < initialCapacity && initialCapacity <= maxCapacity
        ? newDirectBuffer(initialCapacity, maxCapacity)
        : super.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected final ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    if (level == ResourceLeakDetector.Level.DISABLED) {
      return blocks.buffer(initialCapacity, maxCapacity);
    }
    if (level == ResourceLeakDetector.Level.SIMPLE) {
      return blocks.sampledBuffer(initialCapacity, maxCapacity);
    }
    // Accesses are recorded too, which Netty's wrappers do.
    return watched(blocks.detachedBuffer(initialCapacity, maxCapacity));
  }

  @Override
  protected final ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return watched(arrays.buffer(initialCapacity, maxCapacity));
  }

  /** Has Netty's detector watch a buffer, which is released if that fails. */
  protected static ByteBuf watched(ByteBuf buffer) {
    boolean done = false;
    try {
      ByteBuf watched = toLeakAwareBuffer(buffer);
      done = true;
      return watched;
    } finally {
      if (!done) {
        buffer.release();
      }
    }
  }

  @Override
  public final boolean isDirectBufferPooled() {
    return true;
  }

  /**
   * A detached buffer over a live block, which it takes over: its last release is the block's. If
   * there is no Java heap for that, the block is released.
   *
   * @throws IllegalArgumentException if the block is another pool's; nothing has changed then
   * @throws IllegalStateException if the block has been released
   */
  protected final ByteBuf over(Block block, int capacity, int maxCapacity) {
    return blocks.over(block, capacity, maxCapacity);
  }
}
