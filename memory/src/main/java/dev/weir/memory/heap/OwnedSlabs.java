package dev.weir.memory.heap;

import org.jspecify.annotations.Nullable;

/**
 * All slabs of one heap, whatever their state, and a hand that goes round them and counts what lies
 * free in them. With the heap's lock.
 *
 * <p>The count is the sum of what each slab had when the hand last stood at it.
 */
final class OwnedSlabs {
  private final Heap heap;
  private @Nullable Slab first;
  private int size;
  private @Nullable Slab hand;
  private long countedFreeBytes;

  OwnedSlabs(Heap heap) {
    this.heap = heap;
  }

  void add(Slab slab) {
    slab.listedBy(heap, heap.owner());
    slab.countedFreeBytes = 0;
    slab.previousOwned = null;
    slab.nextOwned = first;
    if (first != null) {
      first.previousOwned = slab;
    }
    first = slab;
    size++;
  }

  void remove(Slab slab) {
    slab.listedBy(null, null);
    countedFreeBytes -= slab.countedFreeBytes;
    size--;
    Slab previous = slab.previousOwned;
    Slab next = slab.nextOwned;
    if (hand == slab) {
      hand = next;
    }
    if (previous == null) {
      first = next;
    } else {
      previous.nextOwned = next;
    }
    if (next != null) {
      next.previousOwned = previous;
    }
    slab.previousOwned = null;
    slab.nextOwned = null;
  }

  /** Any of them; {@code nextOwned} leads to the others. Null if there is none. */
  @Nullable Slab first() {
    return first;
  }

  /** Takes any slab out; null if there is none. */
  @Nullable Slab removeAny() {
    Slab slab = first;
    if (slab != null) {
      remove(slab);
    }
    return slab;
  }

  int size() {
    return size;
  }

  /** How many bytes of whole pages may lie free, as far as the hand has seen. */
  long countedFreeBytes() {
    return countedFreeBytes;
  }

  /** Whether the hand has stood at every slab and begins anew. */
  boolean isRoundComplete() {
    return hand == null;
  }

  /** Moves the hand to the next slab; null if there is none. */
  @Nullable Slab next() {
    Slab slab = hand != null ? hand : first;
    if (slab != null) {
      hand = slab.nextOwned;
    }
    return slab;
  }

  /** Counts anew what lies free in a slab; returns whether that has changed. */
  boolean count(Slab slab, int osPageBytes) {
    int before = slab.countedFreeBytes;
    int freeBytes = slab.isBeingPurged() ? 0 : slab.newlyIdleBytes(osPageBytes);
    slab.idleRounds = freeBytes < before ? 0 : slab.idleRounds + 1;
    countedFreeBytes += freeBytes - before;
    slab.countedFreeBytes = freeBytes;
    return freeBytes != before;
  }
}
