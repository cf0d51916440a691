package dev.weir.lab.trace.synthetic;

/**
 * SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014),
 * written out so that a seed means the same trace with every Java. Not thread-safe.
 */
final class SeededRandom {
  private long state;

  SeededRandom(long seed) {
    state = seed;
  }

  long nextLong() {
    state += 0x9E3779B97F4A7C15L;
    long mixed = state;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Below {@code bound}, which is positive; the bias is below bound / 2^63. */
  long below(long bound) {
    return (nextLong() >>> 1) % bound;
  }

  /** From {@code first} to {@code last}. */
  int between(int first, int last) {
    return first + (int) below((long) last - first + 1);
  }

  /** Whether something happens that does so in {@code share} of 1,000 cases. */
  boolean perMille(int share) {
    return below(1_000) < share;
  }
}
