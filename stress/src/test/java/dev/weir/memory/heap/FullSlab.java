package dev.weir.memory.heap;

/** A slab of eight slots, all in use, and a ninth slot in the slab behind it. */
abstract class FullSlab {
  /** For {@link #after}: all slots have been freed. */
  static final int ALL = SmallHeap.SLOTS;

  final SmallHeap small = new SmallHeap();
  final Slot[] slots = small.takeSlab();
  final Slot ninth = small.take();

  /** As {@link #after(Heap, int)}, where the slab has stayed in its heap. */
  final String after(int freed) {
    return after(small.heap, freed);
  }

  /**
   * Looks after the slab, and frees what is left.
   *
   * @param last the heap that has it
   * @param freed how many of its slots the actors have freed: the first ones
   * @return "rests", or what is wrong
   */
  final String after(Heap last, int freed) {
    String found = SmallHeap.lookAfter(last, slots[0].slab(), SmallHeap.SLOTS - freed);
    SmallHeap.freeAllBut(freed, slots, last);
    return found.equals("found") ? small.rest(last, ninth) : found;
  }
}
