package dev.weir.memory.heap;

import dev.weir.memory.pages.Span;
import org.jspecify.annotations.Nullable;

/**
 * What one slab holds, as a thread sees it that does not own it: exact when nobody allocates or
 * frees in it.
 *
 * @param sizeClass the class of its slots
 * @param liveBlocks slots in use
 * @param freeSlots slots that are carved and not in use
 * @param owner the thread whose heap it belongs to; null for the heap that threads share
 */
@SuppressWarnings("exports") // spans are the pool's: nobody else has one
public record SlabFigures(int sizeClass, int liveBlocks, int freeSlots, @Nullable Thread owner) {
  /** The figures of a slab that is open. */
  public static SlabFigures of(Span span) {
    Slab slab = (Slab) span;
    int live = slab.inUse();
    int carved = Math.max(live, slab.carvedOpaque());
    Thread owner = slab.heap() instanceof OwnedHeap owned ? owned.owner() : null;
    return new SlabFigures(slab.kind(), live, carved - live, owner);
  }

  /** Bytes of a slot. */
  public int slotBytes() {
    return SizeClasses.slotBytes(sizeClass);
  }
}
