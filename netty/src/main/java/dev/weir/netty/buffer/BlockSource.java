package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.OwnedHeap;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Where the direct buffers of one allocator, or of one view of it, get their blocks: a pool, the
 * heaps of its threads, and the budget that pays. A buffer keeps its source for as long as it
 * lives, and grows from it.
 */
public final class BlockSource {
  private final Pool pool;
  private final ThreadHeaps heaps;
  private final Budget budget;
  private final ByteBufAllocator allocator;

  /**
   * Blocks of {@code pool}, charged to {@code budget}, for buffers whose {@code alloc()} is {@code
   * allocator}.
   */
  public BlockSource(Pool pool, ThreadHeaps heaps, Budget budget, ByteBufAllocator allocator) {
    this.pool = pool;
    this.heaps = heaps;
    this.budget = budget;
    this.allocator = allocator;
  }

  /** The same pool and heaps with another budget and another allocator. */
  public BlockSource charging(Budget otherBudget, ByteBufAllocator view) {
    return new BlockSource(pool, heaps, otherBudget, view);
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /**
   * A buffer with a reference count of 1 and undefined contents.
   *
   * @throws dev.weir.memory.budget.BudgetExceededError when the budget or the pool has no room
   */
  public WeirByteBuf buffer(int capacity, int maxCapacity) {
    return over(block(capacity), capacity, maxCapacity);
  }

  /** A buffer over a live block, which it takes over: the buffer's last release is the block's. */
  public WeirByteBuf over(Block block, int capacity, int maxCapacity) {
    WeirByteBuf buffer =
        block.attachment() instanceof WeirByteBuf known && known.liesIn(block)
            ? known
            : WeirByteBuf.attachedTo(block, this);
    buffer.open(this, capacity, maxCapacity);
    return buffer;
  }

  @Nullable Block tryBlock(int bytes) {
    OwnedHeap heap = heaps.current();
    return heap != null ? pool.tryAllocate(heap, bytes, budget) : pool.tryAllocate(bytes, budget);
  }

  Block block(int bytes) {
    OwnedHeap heap = heaps.current();
    return heap != null ? pool.allocate(heap, bytes, budget) : pool.allocate(bytes, budget);
  }
}
