package dev.weir.memory.testing;

import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.pages.SilentEvents;
import dev.weir.memory.purge.PurgePolicy;

/** Page heaps for tests: they purge early, and tell nobody of anything but where that is said. */
public final class PageHeaps {
  private PageHeaps() {}

  /** One with a reservation of its own, and without a reserve. */
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

  /** One over a reservation that the test has, and without a reserve. */
  public static PageHeap over(NativeMemory os, Reservation reservation, long limitBytes) {
    return over(os, reservation, limitBytes, /* reserveBytes= */ 0, SizeClasses.COUNT);
  }

  /** The same with a reserve for small blocks, and so many kinds of spans. */
  public static PageHeap over(
      NativeMemory os, Reservation reservation, long limitBytes, long reserveBytes, int kinds) {
    return new PageHeap(
        os, reservation, limitBytes, reserveBytes, kinds, PurgePolicy.dense(), new SilentEvents());
  }
}
