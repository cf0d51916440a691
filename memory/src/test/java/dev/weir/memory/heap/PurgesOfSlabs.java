package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import java.util.ArrayList;
import java.util.List;

/** Purges inside slabs for tests: one slot of 64 KiB in each of full slabs. For one thread. */
public final class PurgesOfSlabs {
  private static final int SLAB_SLOTS = 8;

  private final SharedHeap.Stripe stripe;
  private final List<Slot> slots = new ArrayList<>();

  /** Fills so many slabs. */
  public PurgesOfSlabs(PageHeap pages, int slabs) {
    stripe = new SharedHeap.Stripe(pages);
    for (int i = 0; i < SLAB_SLOTS * slabs; i++) {
      slots.add(stripe.allocateSlot(SizeClasses.classOf(SizeClasses.MAX_SLOT_BYTES), Slot.TENANTS));
    }
  }

  /** Whether there is another slab. */
  public boolean hasNext() {
    return slots.size() >= SLAB_SLOTS;
  }

  /** Frees a slot of the next slab, and unlinks it: the purge is announced, and not run. */
  public InsidePurge next() {
    slots.get(slots.size() - 1).free();
    slots.subList(slots.size() - SLAB_SLOTS, slots.size()).clear();
    List<InsidePurge> purges = new ArrayList<>();
    stripe.trimSlabs(purges::add);
    return purges.getFirst();
  }
}
