package dev.weir.memory.pages;

/**
 * Ranges of free pages that somebody is giving back to the operating system, and that nobody has
 * wanted since. There are few of them at a time; a request that comes upon one has it taken out.
 *
 * <p>Units are pages; ranges do not overlap. Not thread-safe: the page heap's lock guards it.
 */
final class FreeClaims {
  static final int NONE = -1;

  /** Of the claims of four threads: looked through in some ten nanoseconds. */
  static final int CAPACITY = 64;

  private final long[] starts = new long[CAPACITY];
  private final long[] ends = new long[CAPACITY];
  private int count;

  int count() {
    return count;
  }

  long start(int index) {
    return starts[index];
  }

  long end(int index) {
    return ends[index];
  }

  /** Adds a range; false if there are as many as may be. */
  boolean tryAdd(long start, long end) {
    if (count == CAPACITY) {
      return false;
    }
    starts[count] = start;
    ends[count] = end;
    count++;
    return true;
  }

  /** The index of one that has a page in common with a range, or {@link #NONE}. */
  int overlapping(long start, long end) {
    for (int i = 0; i < count; i++) {
      if (starts[i] < end && start < ends[i]) {
        return i;
      }
    }
    return NONE;
  }

  /** Takes a range out; the index of another one may be its own from then on. */
  void remove(int index) {
    count--;
    starts[index] = starts[count];
    ends[index] = ends[count];
  }
}
