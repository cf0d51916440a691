package dev.weir.netty.buffer;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.array.ArrayHeap;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import org.jspecify.annotations.Nullable;

/**
 * Netty's side of a {@link BlockSource} and an {@link ArraySource} that charge one budget: the
 * methods that hand out buffers, and what the leak detector's level makes of them. Any thread.
 */
/*
 * What is inherited is compiled once for all allocators of a process, Netty's unpooled one among them, and becomes too
 * large to be inlined where buffers are asked for. So the methods on the way to a buffer are overridden here.
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
  protected BudgetedAllocator(Pool pool, Budget budget, boolean preferDirect) {
    super(preferDirect);
    AllocatorSupport support = AllocatorSupport.of(pool);
    blocks = new BlockSource(support, budget, this);
    arrays = new ArraySource(support.arrays(), budget, this);
  }

  /** The heap of the calling thread; null if it has none. */
  abstract @Nullable OwnedHeap heap();

  /** The heap for heap buffers of the calling thread; null if it has none. */
  abstract @Nullable ArrayHeap arrayHeap();

  /**
   * The stripe of the calling thread, which has no heap; null if none is known that leans towards
   * it. Whether it still does is found where it is used.
   */
  abstract @Nullable Stripe stripe();

  /** Looks for one where {@link #stripe} has not helped. The pool is open. */
  abstract void lookForStripe();

  @Override
  public final ByteBuf ioBuffer(int initialCapacity) {
    return directBuffer(initialCapacity);
  }

  @Override
  public final ByteBuf directBuffer(int initialCapacity) {
    return 0 < initialCapacity
        ? newDirectBuffer(initialCapacity, Integer.MAX_VALUE)
        : super.directBuffer(initialCapacity);
  }

  @Override
  public final ByteBuf directBuffer(int initialCapacity, int maxCapacity) {
    return 0 < initialCapacity && initialCapacity <= maxCapacity
        ? newDirectBuffer(initialCapacity, maxCapacity)
        : super.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected final ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    OwnedHeap heap = heap();
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    // Compared twice on purpose: a local that keeps the result costs 5 % of an allocation and its
    // release.
    if (LeakSampling.IS_WEIRS
        && (level == ResourceLeakDetector.Level.DISABLED
            || (level == ResourceLeakDetector.Level.SIMPLE && !LeakSampling.drawNext(heap)))) {
      return heap != null
          ? blocks.buffer(heap, initialCapacity, maxCapacity)
          : blocks.sharedBuffer(stripe(), initialCapacity, maxCapacity);
    }
    return LeakSampling.IS_WEIRS && level == ResourceLeakDetector.Level.SIMPLE
        ? tracked(blocks.trackedBuffer(heap, initialCapacity, maxCapacity))
        // Accesses are recorded too, which Netty's wrappers do.
        : watched(blocks.detachedBuffer(heap, initialCapacity, maxCapacity));
  }

  /** Has the detector watch a buffer if it was made for that; releases it if that fails. */
  private static ByteBuf tracked(ByteBuf buffer) {
    LeakTracked tracked = LeakTracked.in(buffer);
    boolean done = false;
    try {
      if (tracked != null) {
        tracked.beWatchedBy(LeakSampling.DETECTOR);
      }
      done = true;
      return buffer;
    } finally {
      if (!done) {
        buffer.release();
      }
    }
  }

  /** Whether Netty's detector draws, or watches all, at a level. */
  protected static boolean isWatchedByNetty(ResourceLeakDetector.Level level) {
    return !LeakSampling.IS_WEIRS
        || level == ResourceLeakDetector.Level.ADVANCED
        || level == ResourceLeakDetector.Level.PARANOID;
  }

  /** Has a listener hear of those leaks of which {@link LeakSampling} draws the sample. */
  protected static void setSampleListener(ResourceLeakDetector.@Nullable LeakListener listener) {
    LeakSampling.DETECTOR.setLeakListener(listener);
  }

  @Override
  public final ByteBuf heapBuffer(int initialCapacity) {
    return 0 < initialCapacity
        ? newHeapBuffer(initialCapacity, Integer.MAX_VALUE)
        : super.heapBuffer(initialCapacity);
  }

  @Override
  public final ByteBuf heapBuffer(int initialCapacity, int maxCapacity) {
    return 0 < initialCapacity && initialCapacity <= maxCapacity
        ? newHeapBuffer(initialCapacity, maxCapacity)
        : super.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected final ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    ArrayHeap heap = arrayHeap();
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    if (LeakSampling.IS_WEIRS
        && (level == ResourceLeakDetector.Level.DISABLED
            || (level == ResourceLeakDetector.Level.SIMPLE && !LeakSampling.drawNext(null)))) {
      return arrays.buffer(heap, initialCapacity, maxCapacity);
    }
    return LeakSampling.IS_WEIRS && level == ResourceLeakDetector.Level.SIMPLE
        ? tracked(arrays.trackedBuffer(heap, initialCapacity, maxCapacity))
        : watched(arrays.detachedBuffer(heap, initialCapacity, maxCapacity));
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
   * A detached buffer over a live block, which it takes over: its last release is the block's.
   *
   * @throws IllegalArgumentException if the block is another pool's; nothing has changed then
   * @throws IllegalStateException if the block has been released
   */
  protected final ByteBuf over(Block block, int capacity, int maxCapacity) {
    return tracked(blocks.over(block, capacity, maxCapacity));
  }
}
