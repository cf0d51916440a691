package dev.weir.lab.trace;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Numbers for live blocks: the one that was given back last, or else the next that was never used.
 * So whoever sees the same allocations and releases hands out the same numbers, and a trace need
 * not store them. Not thread-safe.
 */
public final class SlotNumbers {
  private final BitSet live = new BitSet();
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  /** Makes an empty set. */
  public SlotNumbers() {}

  /** Takes a number. */
  public int take() {
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    live.set(slot);
    return slot;
  }

  /** Gives a number back; returns false if it was not taken. */
  public boolean tryGive(long slot) {
    if (slot < 0 || slot >= used || !live.get((int) slot)) {
      return false;
    }
    live.clear((int) slot);
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = (int) slot;
    return true;
  }

  /** Whether a number is taken. */
  public boolean isTaken(long slot) {
    return slot >= 0 && slot < used && live.get((int) slot);
  }

  /** How many different numbers were ever taken. */
  public int used() {
    return used;
  }
}
