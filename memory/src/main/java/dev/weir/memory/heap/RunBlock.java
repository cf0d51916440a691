package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import org.jspecify.annotations.Nullable;

/** A run of pages as a block. */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class RunBlock extends Block {
  private final PageHeap pages;
  private long size;

  private RunBlock(PageHeap pages, long address, long size, Budget budget) {
    super(address, budget);
    this.pages = pages;
    this.size = size;
  }

  /** Allocates a run of whole pages, or returns null where the limit or the budget has no room. */
  public static @Nullable RunBlock tryAllocate(PageHeap pages, long bytes, Budget budget) {
    long size = roundUp(pages, bytes);
    if (budget.isTracked() && !budget.tryCharge(size)) {
      return null;
    }
    long address = PageHeap.FULL;
    try {
      address = pages.allocateRun(size);
    } finally {
      if (address == PageHeap.FULL && budget.isTracked()) {
        budget.uncharge(size);
      }
    }
    return address == PageHeap.FULL ? null : begun(pages, address, size, budget);
  }

  /**
   * Allocates a run out of a promise that covers it; null if no free run of addresses is long
   * enough.
   */
  public static @Nullable RunBlock tryAllocatePromised(PageHeap pages, long size, Budget budget) {
    long address = pages.allocatePromisedRun(size);
    return address == PageHeap.FULL ? null : begun(pages, address, size, budget);
  }

  /** So many bytes in whole pages. */
  public static long roundUp(PageHeap pages, long bytes) {
    return Math.ceilDivExact(bytes, pages.pageBytes()) * pages.pageBytes();
  }

  private static RunBlock begun(PageHeap pages, long address, long size, Budget budget) {
    RunBlock block = new RunBlock(pages, address, size, budget);
    block.begin(budget);
    return block;
  }

  @Override
  PageHeap pages() {
    return pages;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public boolean tryGrow(long minBytes) {
    requireLive();
    if (minBytes <= size) {
      return true;
    }
    if (minBytes > Long.MAX_VALUE / 2) {
      return false;
    }
    long newSize = roundUp(pages, minBytes);
    boolean tracked = budget().isTracked();
    if (tracked && !budget().tryCharge(newSize - size)) {
      return false;
    }
    boolean grown = false;
    try {
      grown = pages.tryExtendRun(address(), size, newSize);
    } finally {
      if (!grown && tracked) {
        budget().uncharge(newSize - size);
      }
    }
    if (grown) {
      size = newSize;
    }
    return grown;
  }

  @Override
  public boolean tryShrink(long minBytes) {
    requireLive();
    if (minBytes >= size) {
      return false;
    }
    long newSize = Math.max(roundUp(pages, minBytes), pages.pageBytes());
    if (newSize >= size) {
      return false;
    }
    long oldSize = size;
    size = newSize;
    if (budget().isTracked()) {
      budget().uncharge(oldSize - newSize);
    }
    pages.shrinkRun(address(), oldSize, newSize);
    return true;
  }

  @Override
  public void release() {
    end();
    pages.freeRun(address(), size);
  }
}
