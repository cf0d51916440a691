package dev.weir.lab.trace.synthetic;

/**
 * The sizes of blocks: uniform from one to the other, both included.
 *
 * @param label how people write it
 * @param minBytes the smallest
 * @param maxBytes the largest
 */
record Sizes(String label, int minBytes, int maxBytes) {
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  static final Sizes TINY = new Sizes("100 B – 4 KiB", 100, 4 * KIB);
  static final Sizes SMALL = new Sizes("1 – 16 KiB", KIB, 16 * KIB);
  static final Sizes MEDIUM = new Sizes("1 – 64 KiB", KIB, 64 * KIB);
  static final Sizes LARGE = new Sizes("16 – 256 KiB", 16 * KIB, 256 * KIB);
  static final Sizes HUGE = new Sizes("64 KiB – 1 MiB", 64 * KIB, MIB);
  static final Sizes GIANT = new Sizes("1 – 4 MiB", MIB, 4 * MIB);

  int next(SeededRandom random) {
    return random.between(minBytes, maxBytes);
  }
}
