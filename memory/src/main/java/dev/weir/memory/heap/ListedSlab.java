package dev.weir.memory.heap;

import dev.weir.memory.pages.SpanSize;
import org.jspecify.annotations.Nullable;

/** Where a slab stands in the lists of its heap, and what was last seen of it there. */
abstract class ListedSlab extends LocalSlots {
  /**
   * The heap in whose list it is; null while it is retired. Only a heap writes its own name here,
   * so a heap that reads its own has the slab, whatever others do at that moment. The heap that
   * {@link RemoteSlots#heap} names may have retired it.
   */
  @Nullable Heap ownedBy;

  /** Links of the queue of its heap that it is in, and of all its slabs. */
  @Nullable Slab previousQueued;

  @Nullable Slab nextQueued;
  @Nullable Slab previousOwned;
  @Nullable Slab nextOwned;

  /** Link of the heap's arrivals. */
  @Nullable Slab nextArrival;

  /** The {@link Slab#unusedBytes} that the last survey saw. The surveying thread only. */
  int seenUnusedBytes;

  /** The {@link Slab#lowWater} that it left. The surveying thread only. */
  int seenLowWater;

  /** How many slots have aged: the lowest in the stack, or all. The surveying thread only. */
  int agedSlots;

  /** So many aged slots left no page free at the last look. The surveying thread only. */
  int barrenSlots;

  /**
   * The {@link Slab#unusedBytes} that were left when the pages were last looked through: as long as
   * they are the same, and the slab was not the current one meanwhile, another look finds nothing.
   * 0 if nobody has looked. Written by the heap and the surveying thread; a lost write costs or
   * saves one look.
   */
  int barrenBytes;

  /**
   * Of the {@link Slab#idleBytes}, what the last look left since it lies on pages with live slots.
   * 0 if the slab was current since. Written by the heap and the surveying thread; a lost write
   * makes a guess worse.
   */
  int scatteredBytes;

  /** What its heap last counted of {@link Slab#newlyIdleBytes}. The heap only. */
  int countedFreeBytes;

  /** In how many rounds of the heap's hand nothing seems to have been taken. The heap only. */
  int idleRounds;

  ListedSlab(SpanSize size, int sizeClass, int slotBytes, int slots) {
    super(size, sizeClass, slotBytes, slots);
  }
}
