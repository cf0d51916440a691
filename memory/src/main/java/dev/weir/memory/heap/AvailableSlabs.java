package dev.weir.memory.heap;

import org.jspecify.annotations.Nullable;

/**
 * The slabs of one heap that may have a slot to give and are not the current ones of their size
 * classes: a queue for each class, linked through the slabs. With the heap's lock.
 */
final class AvailableSlabs {
  private final @Nullable Slab[] first = new Slab[SizeClasses.COUNT];
  private final @Nullable Slab[] last = new Slab[SizeClasses.COUNT];

  /** The slab of the class that has waited longest; {@code nextAvailable} leads on. */
  @Nullable Slab first(int sizeClass) {
    return first[sizeClass];
  }

  /** Adds a slab behind those of its class; it tells from now on when it becomes empty. */
  void add(Slab slab) {
    int sizeClass = slab.kind();
    slab.noticeWhenEmpty();
    Slab previous = last[sizeClass];
    slab.previousAvailable = previous;
    slab.nextAvailable = null;
    if (previous == null) {
      first[sizeClass] = slab;
    } else {
      previous.nextAvailable = slab;
    }
    last[sizeClass] = slab;
  }

  /** Takes a slab out, wherever it stands. */
  void remove(Slab slab) {
    int sizeClass = slab.kind();
    Slab previous = slab.previousAvailable;
    Slab next = slab.nextAvailable;
    if (previous == null) {
      first[sizeClass] = next;
    } else {
      previous.nextAvailable = next;
    }
    if (next == null) {
      last[sizeClass] = previous;
    } else {
      next.previousAvailable = previous;
    }
    slab.previousAvailable = null;
    slab.nextAvailable = null;
  }

  /** Takes all of them out. */
  void clear() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      for (Slab slab = first[sizeClass]; slab != null; slab = first[sizeClass]) {
        remove(slab);
      }
    }
  }
}
