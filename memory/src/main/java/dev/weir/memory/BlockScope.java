package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.SizeClasses;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link SegmentAllocator} whose segments are released together. Contents are undefined at first.
 * For one thread at a time; the segments must not be used after {@link #close}.
 *
 * <pre>{@code
 * try (BlockScope scope = new BlockScope(pool)) {
 *   MemorySegment name = scope.allocateFrom("weir");
 * }
 * }</pre>
 */
public final class BlockScope implements SegmentAllocator, AutoCloseable {
  /** The largest alignment on offer: 64 KiB. */
  public static final int MAX_ALIGNMENT_BYTES = SizeClasses.MAX_SLOT_BYTES;

  private static final int SLOT_ALIGNMENT_BYTES = 16;
  private static final int MIN_PAGE_BYTES = 4 * 1024;

  private final Pool pool;
  private final Budget budget;
  private final List<Block> blocks;
  private boolean closed;

  /** A scope that charges the pool's root budget. */
  public BlockScope(Pool pool) {
    this(pool, pool.rootBudget());
  }

  /** A scope that charges a budget of the pool. */
  public BlockScope(Pool pool, Budget budget) {
    this(pool, budget, new ArrayList<>());
  }

  /** With the list that it keeps its blocks in. */
  BlockScope(Pool pool, Budget budget, List<Block> blocks) {
    this.pool = pool;
    this.budget = budget;
    this.blocks = blocks;
  }

  /**
   * Allocates a segment.
   *
   * @throws IllegalArgumentException if the size is negative, or the alignment not a power of two
   *     up to {@link #MAX_ALIGNMENT_BYTES}
   * @throws dev.weir.memory.budget.BudgetExceededError if there is no room
   */
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    if (closed) {
      throw new IllegalStateException("scope is closed");
    }
    if (byteSize < 0 || byteAlignment <= 0 || Long.bitCount(byteAlignment) != 1) {
      throw new IllegalArgumentException(
          "size "
              + byteSize
              + " is negative, or alignment "
              + byteAlignment
              + " is not a power of two");
    }
    if (byteAlignment > MAX_ALIGNMENT_BYTES) {
      throw new IllegalArgumentException(
          "alignment " + byteAlignment + " is above the largest on offer, " + MAX_ALIGNMENT_BYTES);
    }
    Block block = pool.allocate(sizeWithRoom(byteSize, byteAlignment), budget);
    blocks.add(block);
    return block.segment().asSlice(-block.address() & (byteAlignment - 1), byteSize);
  }

  /**
   * How large a block must be to hold an aligned segment. Slots of a power of two lie on multiples
   * of it, other slots on multiples of 16, and runs on pages, none of which is smaller than 4 KiB;
   * hardened blocks on multiples of 64 at least.
   */
  private long sizeWithRoom(long byteSize, long byteAlignment) {
    if (byteSize > SizeClasses.MAX_SLOT_BYTES) {
      long room = Math.max(0, byteAlignment - MIN_PAGE_BYTES);
      return byteSize > Long.MAX_VALUE - room ? byteSize : byteSize + room;
    }
    if (byteAlignment > Hardener.ALIGNMENT_BYTES && pool.hardener() != null) {
      return byteSize + byteAlignment;
    }
    long atLeast = Math.max(byteSize, byteAlignment);
    return byteAlignment <= SLOT_ALIGNMENT_BYTES ? atLeast : Long.highestOneBit(atLeast * 2 - 1);
  }

  /** Releases everything that was allocated from it, also if that fails for some of it. */
  @Override
  public void close() {
    closed = true;
    RuntimeException exception = null;
    Error error = null;
    for (int i = 0; i < blocks.size(); i++) {
      try {
        blocks.get(i).release();
      } catch (RuntimeException e) {
        exception = e;
      } catch (Error e) {
        error = e;
      }
    }
    blocks.clear();
    if (error != null) {
      throw error;
    }
    if (exception != null) {
      throw exception;
    }
  }
}
