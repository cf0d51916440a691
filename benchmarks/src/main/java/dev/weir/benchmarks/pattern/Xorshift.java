package dev.weir.benchmarks.pattern;

/** A random sequence that costs about a nanosecond a number; one thread's. */
public final class Xorshift {
  private static final long DEFAULT_STATE = 0x9E3779B97F4A7C15L;

  private long state;

  /** The sequence that belongs to {@code seed}. */
  public Xorshift(long seed) {
    state = seed * DEFAULT_STATE + DEFAULT_STATE;
    if (state == 0) {
      state = DEFAULT_STATE;
    }
  }

  /** From 0 to {@code bound - 1}. */
  public int below(int bound) {
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    return (int) (((state >>> 32) * bound) >>> 32);
  }
}
