package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Room;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A run of pages in a {@link Room}: one block, which can grow. Used by one thread at a time. */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class GrowingRun implements BlockHome {
  private final PageHeap pages;
  private final GrowthAid aid;
  private Room room;
  private long bytes;

  private GrowingRun(PageHeap pages, GrowthAid aid, Room room, long bytes) {
    this.pages = pages;
    this.aid = aid;
    this.room = room;
    this.bytes = bytes;
  }

  /**
   * Allocates a block of whole pages, or returns null where the limit or the budget has no room, or
   * where no addresses are left for such blocks.
   *
   * @param aid is asked when it grows
   */
  public static <T> @Nullable T tryAllocate(
      PageHeap pages, GrowthAid aid, long minBytes, Budget budget, Tenants<T> tenants) {
    long bytes = RunHeap.roundUp(pages, minBytes);
    if (!budget.tryCharge(bytes)) {
      return null;
    }
    T tenant = null;
    try {
      Room room = pages.rooms().tryOpen(bytes);
      if (room != null) {
        tenant = settled(pages, aid, room, bytes, tenants);
      }
    } finally {
      if (tenant == null) {
        budget.uncharge(bytes);
      }
    }
    return tenant;
  }

  private static <T> T settled(
      PageHeap pages, GrowthAid aid, Room room, long bytes, Tenants<T> tenants) {
    T tenant = null;
    try {
      tenant = tenants.settle(new GrowingRun(pages, aid, room, bytes), 0, null);
      return tenant;
    } finally {
      if (tenant == null) {
        pages.rooms().close(room);
      }
    }
  }

  @Override
  public long blockAddress(int number) {
    return room.address();
  }

  @Override
  public long blockBytes() {
    return bytes;
  }

  @Override
  public MemorySegment segment(int number) {
    return pages.reservation().slice(room.address(), bytes);
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return tryGrowAtOnce(minBytes, budget) || aid.tryGrow(this, minBytes, budget);
  }

  /** As {@link #tryGrow}, with what is free now, or dirty. */
  public boolean tryGrowAtOnce(long minBytes, Budget budget) {
    if (minBytes <= bytes) {
      return true;
    }
    if (minBytes > Long.MAX_VALUE / 2) {
      return false;
    }
    long newBytes = RunHeap.roundUp(pages, minBytes);
    if (!budget.tryCharge(newBytes - bytes)) {
      return false;
    }
    boolean grown = false;
    try {
      grown = tryTake(newBytes);
    } finally {
      if (!grown) {
        budget.uncharge(newBytes - bytes);
      }
    }
    if (grown) {
      bytes = newBytes;
    }
    return grown;
  }

  /** Whether addresses are left for so many bytes: where there are none, memory is no help. */
  public boolean hasAddresses(long minBytes) {
    return minBytes <= Long.MAX_VALUE / 2
        && pages.rooms().hasAddresses(room, RunHeap.roundUp(pages, minBytes));
  }

  private boolean tryTake(long newBytes) {
    if (newBytes <= room.roomBytes()) {
      return pages.rooms().tryExtend(room, newBytes);
    }
    Room longer = pages.rooms().tryMove(room, newBytes);
    if (longer == null) {
      return false;
    }
    room = longer;
    return true;
  }

  @Override
  public void free(int number) {
    pages.rooms().close(room);
  }

  @Override
  public void leave(int number, Object tenant) {
    // Nobody comes after: the object goes with the block.
  }
}
