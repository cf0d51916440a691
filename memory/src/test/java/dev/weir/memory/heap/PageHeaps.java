package dev.weir.memory.heap;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.pages.SilentEvents;
import dev.weir.memory.purge.PurgePolicy;

/** Page heaps for tests. */
public final class PageHeaps {
  private PageHeaps() {}

  /** One with a reservation of its own, and without a reserve, that tells nobody of anything. */
  public static PageHeap over(NativeMemory os, long limitBytes) {
    return over(os, limitBytes, new SilentEvents());
  }

  /** The same, with somebody who is told. */
  public static PageHeap over(NativeMemory os, long limitBytes, PageHeapEvents events) {
    return new PageHeap(
        os,
        Reservation.reserve(os, limitBytes),
        limitBytes,
        /* reserveBytes= */ 0,
        SizeClasses.COUNT,
        PurgePolicy.dense(),
        events);
  }
}
