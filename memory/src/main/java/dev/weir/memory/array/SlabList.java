package dev.weir.memory.array;

import org.jspecify.annotations.Nullable;

/** Slabs linked through themselves, each in one list at most. Not thread-safe. */
final class SlabList {
  private @Nullable ArraySlab first;
  private @Nullable ArraySlab last;

  @Nullable ArraySlab first() {
    return first;
  }

  @Nullable ArraySlab last() {
    return last;
  }

  void addFirst(ArraySlab slab) {
    ArraySlab head = first;
    slab.next = head;
    first = slab;
    if (head == null) {
      last = slab;
    } else {
      head.previous = slab;
    }
  }

  void addLast(ArraySlab slab) {
    ArraySlab tail = last;
    slab.previous = tail;
    last = slab;
    if (tail == null) {
      first = slab;
    } else {
      tail.next = slab;
    }
  }

  void remove(ArraySlab slab) {
    ArraySlab before = slab.previous;
    ArraySlab after = slab.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    slab.previous = null;
    slab.next = null;
  }
}
