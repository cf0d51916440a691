package dev.weir.lab.memory;

/**
 * Counts the OS pages that live blocks touch: what an allocator that moves nothing cannot do
 * without, given where it has put the blocks. One writer; any thread may read {@link #bytes()},
 * which may then be of a moment ago.
 *
 * <p>Blocks do not overlap, so that only their first and last pages can be shared. Those are in a
 * table of counts (open addressing, linear probing, D. Knuth, TAOCP vol. 3, 6.4, algorithm R for
 * deletion); the pages between them are simply counted.
 */
public final class LivePages {
  /** The page it counts in: that of x86-64, and of AArch64 as usually configured. */
  public static final int PAGE_BYTES = 4096;

  private static final int PAGE_SHIFT = 12;
  private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

  /** Page numbers plus one; 0 where a place is empty. A power of two. */
  private long[] keys = new long[1024];

  private int[] counts = new int[1024];
  private int used;
  private volatile long pages;

  /** Counts nothing yet. */
  public LivePages() {}

  /** The bytes of all pages that live blocks touch. */
  public long bytes() {
    return pages << PAGE_SHIFT;
  }

  /** A block begins to live. */
  public void add(long address, long bytes) {
    long first = address >>> PAGE_SHIFT;
    long last = (address + bytes - 1) >>> PAGE_SHIFT;
    long more = increment(first) + (last == first ? 0 : last - first - 1 + increment(last));
    count(more);
  }

  /** A block that was added ends. */
  public void remove(long address, long bytes) {
    long first = address >>> PAGE_SHIFT;
    long last = (address + bytes - 1) >>> PAGE_SHIFT;
    long fewer = decrement(first) + (last == first ? 0 : last - first - 1 + decrement(last));
    count(-fewer);
  }

  private void count(long more) {
    long now = pages;
    pages = now + more; // one writer
  }

  /** Returns 1 if this is the page's first block. */
  private int increment(long page) {
    if (used * 2 > keys.length) {
      grow();
    }
    int place = find(page + 1);
    if (keys[place] == 0) {
      keys[place] = page + 1;
      counts[place] = 1;
      used++;
      return 1;
    }
    counts[place]++;
    return 0;
  }

  /** Returns 1 if this was the page's last block. */
  private int decrement(long page) {
    int place = find(page + 1);
    if (keys[place] == 0) {
      throw new IllegalStateException("no live block on page " + page);
    }
    if (--counts[place] > 0) {
      return 0;
    }
    used--;
    closeGap(place);
    return 1;
  }

  /** Where the key is, or the empty place where it would be. */
  private int find(long key) {
    int mask = keys.length - 1;
    int place = home(key);
    while (keys[place] != 0 && keys[place] != key) {
      place = (place + 1) & mask;
    }
    return place;
  }

  /** Moves back what would no longer be found behind an empty place. */
  private void closeGap(int emptied) {
    int mask = keys.length - 1;
    int gap = emptied;
    for (int at = (gap + 1) & mask; keys[at] != 0; at = (at + 1) & mask) {
      if (((at - home(keys[at])) & mask) >= ((at - gap) & mask)) {
        keys[gap] = keys[at];
        counts[gap] = counts[at];
        gap = at;
      }
    }
    keys[gap] = 0;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldCounts = counts;
    keys = new long[oldKeys.length * 2];
    counts = new int[oldKeys.length * 2];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int place = find(oldKeys[i]);
        keys[place] = oldKeys[i];
        counts[place] = oldCounts[i];
      }
    }
  }

  private int home(long key) {
    return (int) ((key * HASH_FACTOR) >>> 32) & (keys.length - 1);
  }
}
