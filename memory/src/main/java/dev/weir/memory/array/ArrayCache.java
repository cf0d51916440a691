package dev.weir.memory.array;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Empty arrays, kept for the next that needs one of their class, the latest first. Under the lock
 * of its pool.
 */
final class ArrayCache {
  /** By class; the latest is the first of each. */
  private final SlabList[] lists = new SlabList[ArrayClasses.COUNT];

  private long bytes;

  ArrayCache() {
    Arrays.setAll(lists, sizeClass -> new SlabList());
  }

  long bytes() {
    return bytes;
  }

  void add(ArraySlab slab, long nowNanos) {
    slab.keptSinceNanos = nowNanos;
    lists[slab.sizeClass].addFirst(slab);
    bytes += slab.arrayBytes();
  }

  @Nullable ArraySlab take(int sizeClass) {
    ArraySlab slab = lists[sizeClass].first();
    return slab == null ? null : remove(slab);
  }

  /** Takes the one that has been kept longest; null if there is none. */
  @Nullable ArraySlab takeOldest() {
    ArraySlab oldest = oldest();
    return oldest == null ? null : remove(oldest);
  }

  /** The same if it has been kept since before then. */
  @Nullable ArraySlab takeOldest(long beforeNanos) {
    ArraySlab oldest = oldest();
    return oldest == null || oldest.keptSinceNanos - beforeNanos >= 0 ? null : remove(oldest);
  }

  private @Nullable ArraySlab oldest() {
    ArraySlab oldest = null;
    for (SlabList list : lists) {
      ArraySlab last = list.last();
      if (last != null && (oldest == null || last.keptSinceNanos - oldest.keptSinceNanos < 0)) {
        oldest = last;
      }
    }
    return oldest;
  }

  private ArraySlab remove(ArraySlab slab) {
    lists[slab.sizeClass].remove(slab);
    bytes -= slab.arrayBytes();
    return slab;
  }
}
