package dev.weir.memory.heap;

/** A slot that a test has taken from a heap. */
record Slot(BlockHome home, int number) {
  static final Tenants<Slot> TENANTS = (home, number, found) -> new Slot(home, number);

  void free() {
    home.free(number);
  }
}
