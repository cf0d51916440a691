package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Span;
import dev.weir.memory.pages.SpanSize;

/**
 * What the slabs of one size class hold, summed over all heaps; exact when nobody allocates or
 * frees meanwhile.
 *
 * @param slotBytes the size of a slot
 * @param slabs open slabs
 * @param liveBlocks blocks in use
 * @param committedBytes live pages of these slabs
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public record SlabTotals(int slotBytes, long slabs, long liveBlocks, long committedBytes) {
  /** The totals of every size class, by class. */
  public static SlabTotals[] of(PageHeap pages) {
    long[] slabs = new long[SizeClasses.COUNT];
    long[] live = new long[SizeClasses.COUNT];
    long[] committed = new long[SizeClasses.COUNT];
    Patience patience = new Patience();
    for (SpanSize size : SpanSize.values()) {
      for (Span span : pages.spans(size)) {
        if (span instanceof Slab slab && slab.isOpen()) {
          int sizeClass = slab.kind();
          SlabFigures figures = slab.figures(patience);
          slabs[sizeClass]++;
          live[sizeClass] += figures.liveBlocks();
          committed[sizeClass] += figures.committedBytes();
        }
      }
    }
    SlabTotals[] totals = new SlabTotals[SizeClasses.COUNT];
    for (int sizeClass = 0; sizeClass < totals.length; sizeClass++) {
      totals[sizeClass] =
          new SlabTotals(
              SizeClasses.slotBytes(sizeClass),
              slabs[sizeClass],
              live[sizeClass],
              committed[sizeClass]);
    }
    return totals;
  }

  /** Bytes of the blocks in use. */
  public long liveBytes() {
    return liveBlocks * slotBytes;
  }

  /** Evaluates the equations of every open slab. Only when nobody allocates or frees. */
  public static void checkInvariants(PageHeap pages) {
    for (SpanSize size : SpanSize.values()) {
      for (Span span : pages.spans(size)) {
        if (span instanceof Slab slab) {
          slab.checkInvariants();
        }
      }
    }
  }
}
