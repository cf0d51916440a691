package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.GrowthRange;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A run of pages in a {@link GrowthRange}: one block, which can grow. Used by one thread at a time.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class GrowingRun implements BlockContainer {
  private final PageHeap pages;
  private final GrowthAid aid;
  private GrowthRange range;
  private long bytes;

  private GrowingRun(PageHeap pages, GrowthAid aid, GrowthRange range, long bytes) {
    this.pages = pages;
    this.aid = aid;
    this.range = range;
    this.bytes = bytes;
  }

  /**
   * Allocates a block of whole pages, or returns null where the limit or the budget has no room, or
   * where no addresses are left for such blocks.
   *
   * @param aid is asked when it grows
   */
  public static <T> @Nullable T tryAllocate(
      PageHeap pages, GrowthAid aid, long minBytes, Budget budget, BlockFactory<T> factory) {
    long bytes = RunHeap.roundUp(pages, minBytes);
    if (!budget.tryCharge(bytes)) {
      return null;
    }
    T object = null;
    try {
      object = tryAllocateCharged(pages, aid, bytes, Lane.LARGE, factory);
    } finally {
      if (object == null) {
        budget.uncharge(bytes);
      }
    }
    return object;
  }

  /**
   * Allocates such a block, whose bytes have been charged; null where the limit has no room, or no
   * addresses are left.
   *
   * @param bytes whole pages, at least {@link SizeClasses#MAX_SLOT_BYTES}: there are ranges for as
   *     many blocks of that length as the limit allows
   * @param lane of the promise that covers it, {@link Lane#LARGE} if there is none
   */
  public static <T> @Nullable T tryAllocateCharged(
      PageHeap pages, GrowthAid aid, long bytes, Lane lane, BlockFactory<T> factory) {
    GrowthRange range = pages.growth().tryOpen(bytes, lane);
    if (range == null) {
      return null;
    }
    T object = null;
    try {
      object = factory.create(new GrowingRun(pages, aid, range, bytes), 0, null);
      return object;
    } finally {
      if (object == null) {
        pages.growth().undoOpen(range, lane);
      }
    }
  }

  @Override
  public long blockAddress(int number) {
    return range.address();
  }

  @Override
  public long blockBytes() {
    return bytes;
  }

  @Override
  public MemorySegment segment(int number) {
    return pages.reservation().slice(range.address(), bytes);
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return tryGrowAtOnce(minBytes, budget) || aid.tryGrow(this, minBytes, budget);
  }

  @Override
  public boolean tryGrowAtOnce(long minBytes, Budget budget) {
    if (minBytes <= bytes) {
      return true;
    }
    if (minBytes > pages.largestRunBytes()) {
      return false; // It would be charged for a moment, and in the peak for ever.
    }
    long newBytes = RunHeap.roundUp(pages, minBytes);
    long moreBytes = newBytes - bytes;
    if (!budget.tryCharge(moreBytes)) {
      return false;
    }
    boolean grown = false;
    try {
      grown = tryGrowCharged(newBytes, Lane.LARGE);
    } finally {
      if (!grown) {
        budget.uncharge(moreBytes);
      }
    }
    return grown;
  }

  @Override
  public long neededToGrow(long minBytes) {
    return hasAddresses(minBytes) ? RunHeap.roundUp(pages, minBytes) - bytes : minBytes;
  }

  /** Whether addresses are left for so many bytes: where there are none, memory is no help. */
  public boolean hasAddresses(long minBytes) {
    return minBytes <= Long.MAX_VALUE / 2
        && pages.growth().hasAddresses(range, RunHeap.roundUp(pages, minBytes));
  }

  /**
   * Grows by what has been charged, with what is free now, or dirty. Out of a promise, only
   * addresses may be missing, and room for a copy where the system cannot move pages.
   *
   * @param newBytes whole pages, more than there are
   * @param lane of the promise that covers the difference, {@link Lane#LARGE} if there is none
   */
  public boolean tryGrowCharged(long newBytes, Lane lane) {
    if (newBytes > range.rangeBytes()) {
      GrowthRange longer = pages.growth().tryMove(range, newBytes, lane);
      if (longer == null) {
        return false;
      }
      range = longer;
    } else if (!pages.growth().tryExtend(range, newBytes, lane)) {
      return false;
    }
    bytes = newBytes;
    return true;
  }

  @Override
  public void free(int number) {
    pages.growth().close(range);
  }

  @Override
  public void leave(int number, Object object) {
    // Nobody comes after: the object goes with the block.
  }
}
