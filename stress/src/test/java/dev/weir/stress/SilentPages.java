package dev.weir.stress;

import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.pages.Reservation;
import dev.weir.memory.purge.PurgePolicy;

/** A page heap whose events nobody hears: nobody waits, looks through slabs, or purges. */
public final class SilentPages implements PageHeapEvents {
  /** A page heap that purges early, without a reserve. */
  public static PageHeap heap(NativeMemory os, Reservation addresses, long limitBytes) {
    return new PageHeap(
        os,
        addresses,
        limitBytes,
        /* reserveBytes= */ 0,
        SizeClasses.COUNT,
        PurgePolicy.dense(),
        new SilentPages());
  }

  @Override
  public void roomFreed() {}

  @Override
  public void liveGrown() {}

  @Override
  public void dirtyHigh() {}
}
