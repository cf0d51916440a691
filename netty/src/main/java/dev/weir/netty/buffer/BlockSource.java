package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.BlockHome;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.NativeMemoryException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.jspecify.annotations.Nullable;

/**
 * Where the direct buffers of one allocator, or of one view of it, get their blocks: a pool, the
 * heaps of its threads, and the budget that pays. A buffer keeps its source for as long as it
 * lives, grows from it, and gives its block back to it.
 */
public final class BlockSource {
  private final Pool pool;
  private final ThreadHeaps heaps;
  private final Budget budget;

  /** The budget, if it keeps count: the pool's root does not. */
  private final @Nullable Budget counting;

  private final ByteBufAllocator allocator;

  /**
   * Blocks of {@code pool}, charged to {@code budget}, for buffers whose {@code alloc()} is {@code
   * allocator}.
   */
  public BlockSource(Pool pool, ThreadHeaps heaps, Budget budget, ByteBufAllocator allocator) {
    this.pool = pool;
    this.heaps = heaps;
    this.budget = budget;
    this.counting = budget.isTracked() ? budget : null;
    this.allocator = allocator;
  }

  /**
   * The same pool and heaps with another budget and another allocator.
   *
   * @throws IllegalArgumentException if the budget is not of this pool
   */
  public BlockSource charging(Budget otherBudget, ByteBufAllocator view) {
    requireOwn(otherBudget);
    return new BlockSource(pool, heaps, otherBudget, view);
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private void requireOwn(Budget other) {
    if (other.root() != pool.rootBudget()) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(other.path(), pool.options().name()));
    }
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /**
   * A buffer with a reference count of 1 and undefined contents, which no leak detector watches.
   *
   * @throws dev.weir.memory.budget.BudgetExceededError when the budget or the pool has no room
   */
  public ByteBuf buffer(int capacity, int maxCapacity) {
    WeirByteBuf buffer = resting(heaps.current(), capacity);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  /** As {@link #buffer}, but a sample of them is watched. */
  public ByteBuf sampledBuffer(int capacity, int maxCapacity) {
    OwnedHeap heap = heaps.current();
    if (LeakSampling.takesNext(heap)) {
      LeakTrackedByteBuf buffer = pool.allocate(heap, capacity, budget, LeakTrackedByteBuf.TENANTS);
      buffer.open(this, capacity, maxCapacity);
      buffer.watchedBy(LeakSampling.DETECTOR.trackForcibly(buffer));
      return buffer;
    }
    WeirByteBuf buffer = resting(heap, capacity);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  private WeirByteBuf resting(@Nullable OwnedHeap heap, int capacity) {
    if (heap != null && capacity <= SizeClasses.MAX_SLOT_BYTES) {
      int sizeClass = SizeClasses.classOf(capacity);
      WeirByteBuf buffer =
          counting == null
              ? heap.tryAllocate(sizeClass, WeirByteBuf.RESTING)
              : heap.tryAllocate(sizeClass, counting, WeirByteBuf.RESTING);
      if (buffer != null) {
        return buffer;
      }
    }
    return pool.allocate(heap, capacity, budget, WeirByteBuf.RESTING);
  }

  /** A buffer that is never used again after its release, for Netty's wrappers. */
  public ByteBuf detachedBuffer(int capacity, int maxCapacity) {
    WeirByteBuf buffer = pool.allocate(heaps.current(), capacity, budget, WeirByteBuf.DETACHED);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  /** A detached buffer over a live block, which it takes over: its last release is the block's. */
  public ByteBuf over(Block block, int capacity, int maxCapacity) {
    BlockSource paying = paidBy(block.budget());
    if (ResourceLeakDetector.getLevel() == Level.SIMPLE
        && LeakSampling.takesNext(heaps.current())) {
      LeakTrackedByteBuf buffer = block.handOverTo(LeakTrackedByteBuf.TENANTS);
      buffer.open(paying, capacity, maxCapacity);
      buffer.watchedBy(LeakSampling.DETECTOR.trackForcibly(buffer));
      return buffer;
    }
    WeirByteBuf buffer = block.handOverTo(WeirByteBuf.DETACHED);
    buffer.open(paying, capacity, maxCapacity);
    return buffer;
  }

  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  private BlockSource paidBy(Budget payer) {
    return payer == budget ? this : charging(payer, allocator);
  }

  /**
   * A block for whoever can do without: null also where the pool is closed, or the system fails.
   */
  @Nullable Place tryPlace(int bytes) {
    try {
      return pool.tryAllocate(heaps.current(), bytes, budget, Place.TENANTS);
    } catch (IllegalStateException | NativeMemoryException e) {
      return null;
    }
  }

  /** A place that can grow further. */
  Place growingPlace(int bytes) {
    return pool.allocateGrowing(heaps.current(), bytes, budget, Place.TENANTS);
  }

  /** Grows a block without copying it, if that can be done; it may lie elsewhere then. */
  boolean tryGrow(BlockHome home, int bytes) {
    return pool.tryGrow(home, bytes, budget);
  }

  /** Gives a block and its charge back. Any thread. */
  void giveBack(BlockHome home, int number) {
    if (counting == null) {
      home.free(number);
    } else {
      home.release(number, counting);
    }
  }
}
