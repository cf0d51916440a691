package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A run of pages that is handed out as one block and keeps its length: what the bound says of runs
 * holds for such alone.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class Run implements BlockHome {
  private final PageHeap pages;
  private final long address;
  private final long bytes;

  private Run(PageHeap pages, long address, long bytes) {
    this.pages = pages;
    this.address = address;
    this.bytes = bytes;
  }

  /** Allocates a run of whole pages, or returns null where the limit or the budget has no room. */
  public static <T> @Nullable T tryAllocate(
      PageHeap pages, long minBytes, Budget budget, Tenants<T> tenants) {
    long bytes = roundUp(pages, minBytes);
    if (!budget.tryCharge(bytes)) {
      return null;
    }
    T tenant = null;
    try {
      long address = pages.allocateRun(bytes);
      if (address != PageHeap.FULL) {
        tenant = settled(pages, address, bytes, tenants, pages::freeRun);
      }
    } finally {
      if (tenant == null) {
        budget.uncharge(bytes);
      }
    }
    return tenant;
  }

  /**
   * Allocates a run out of a promise that covers it; null if no free run of addresses is long
   * enough. Charges nothing.
   */
  public static <T> @Nullable T tryAllocatePromised(
      PageHeap pages, long bytes, Tenants<T> tenants) {
    long address = pages.allocatePromisedRun(bytes);
    return address == PageHeap.FULL
        ? null
        : settled(pages, address, bytes, tenants, pages::returnPromisedRun);
  }

  private interface Undo {
    void giveBack(long address, long bytes);
  }

  private static <T> T settled(
      PageHeap pages, long address, long bytes, Tenants<T> tenants, Undo undo) {
    T tenant = null;
    try {
      tenant = tenants.settle(new Run(pages, address, bytes), 0, null);
      return tenant;
    } finally {
      if (tenant == null) {
        undo.giveBack(address, bytes);
      }
    }
  }

  /** So many bytes in whole pages. */
  public static long roundUp(PageHeap pages, long bytes) {
    return Math.ceilDivExact(bytes, pages.pageBytes()) * pages.pageBytes();
  }

  @Override
  public long blockAddress(int number) {
    return address;
  }

  @Override
  public long blockBytes() {
    return bytes;
  }

  @Override
  public MemorySegment segment(int number) {
    return pages.reservation().slice(address, bytes);
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return minBytes <= bytes;
  }

  @Override
  public void free(int number) {
    pages.freeRun(address, bytes);
  }

  @Override
  public void leave(int number, Object tenant) {
    // Nobody comes after: the object goes with the run.
  }
}
