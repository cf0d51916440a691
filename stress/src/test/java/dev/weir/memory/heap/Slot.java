package dev.weir.memory.heap;

/** A slot that somebody uses: all that {@link BlockFactory} are told of it. */
record Slot(Slab slab, int number) {
  static final BlockFactory<Slot> FACTORY = (home, number, found) -> new Slot((Slab) home, number);

  /** As whoever the caller is. */
  void free() {
    slab.free(number);
  }

  void freeRemotely() {
    Heap.freeRemotely(slab, number);
  }

  /** Only by the holder of the heap that has the slab. */
  void freeInto(Heap heap) {
    heap.freeLocally(slab, number);
  }
}
