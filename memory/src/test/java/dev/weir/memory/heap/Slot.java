package dev.weir.memory.heap;

/** A slot that a test has taken from a heap. */
record Slot(BlockContainer home, int number) {
  static final BlockFactory<Slot> FACTORY = (home, number, found) -> new Slot(home, number);

  void free() {
    home.free(number);
  }
}
