package dev.weir.memory.pages;

/**
 * A set of OS pages of one span, by their position in it: at most 128. Ranges are {@code [from,
 * to)}. Not thread-safe.
 */
public final class PageSet {
  /** The most pages that a span may have. */
  public static final int MAX_PAGES = 2 * Long.SIZE;

  private long low;
  private long high;

  /** An empty set. */
  public PageSet() {}

  /** A copy. */
  public PageSet(PageSet other) {
    low = other.low;
    high = other.high;
  }

  /** How many pages are in it. */
  public int size() {
    return Long.bitCount(low) + Long.bitCount(high);
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return (low | high) == 0;
  }

  /** How many pages of a range are in it. */
  public int countIn(int from, int to) {
    return Long.bitCount(low & lowMask(from, to)) + Long.bitCount(high & highMask(from, to));
  }

  /** Whether all pages of a range are in it. */
  public boolean containsAll(int from, int to) {
    return countIn(from, to) == to - from;
  }

  /** Adds a range. */
  public void add(int from, int to) {
    low |= lowMask(from, to);
    high |= highMask(from, to);
  }

  /** Removes a range. */
  public void remove(int from, int to) {
    low &= ~lowMask(from, to);
    high &= ~highMask(from, to);
  }

  /** Removes the pages of another set. */
  public void removeAll(PageSet other) {
    low &= ~other.low;
    high &= ~other.high;
  }

  /** Makes it equal to another set. */
  void copyFrom(PageSet other) {
    low = other.low;
    high = other.high;
  }

  /** The first page at or after {@code from} that is in it, or {@link #MAX_PAGES}. */
  public int next(int from) {
    return from >= MAX_PAGES
        ? MAX_PAGES
        : firstBit(low & lowMask(from, MAX_PAGES), high & highMask(from, MAX_PAGES));
  }

  /** The first page at or after {@code from} that is not in it, or {@link #MAX_PAGES}. */
  public int nextAbsent(int from) {
    return from >= MAX_PAGES
        ? MAX_PAGES
        : firstBit(~low & lowMask(from, MAX_PAGES), ~high & highMask(from, MAX_PAGES));
  }

  private static int firstBit(long lowBits, long highBits) {
    return lowBits != 0
        ? Long.numberOfTrailingZeros(lowBits)
        : Long.SIZE + Long.numberOfTrailingZeros(highBits);
  }

  private static long lowMask(int from, int to) {
    return ones(Math.min(to, Long.SIZE)) & ~ones(Math.min(from, Long.SIZE));
  }

  private static long highMask(int from, int to) {
    return ones(Math.max(to - Long.SIZE, 0)) & ~ones(Math.max(from - Long.SIZE, 0));
  }

  /** The lowest so many bits, 0 to 64. */
  private static long ones(int count) {
    return count == Long.SIZE ? -1L : (1L << count) - 1;
  }

  @Override
  public String toString() {
    return "PageSet[%016x%016x]".formatted(high, low);
  }
}
