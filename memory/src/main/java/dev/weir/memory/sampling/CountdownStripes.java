package dev.weir.memory.sampling;

import java.util.function.Supplier;

/** Countdowns for threads that have none of their own. */
public final class CountdownStripes {
  /** A power of two, so that few threads meet at one: 64. */
  private static final int STRIPES_BITS = 6;

  private final ByteCountdown[] stripes = new ByteCountdown[1 << STRIPES_BITS];

  /** Makes them all. */
  public CountdownStripes(Supplier<ByteCountdown> maker) {
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = maker.get();
    }
  }

  /** The one that the calling thread's id leads to. */
  public ByteCountdown ofThread() {
    // Fibonacci hashing spreads consecutive thread ids.
    long hash = Thread.currentThread().threadId() * 0x9E3779B97F4A7C15L;
    return stripes[(int) (hash >>> (Long.SIZE - STRIPES_BITS))];
  }
}
