package dev.weir.memory.heap;

import org.jspecify.annotations.Nullable;

/**
 * Slabs of one heap: a queue for each size class, linked through the slabs, each of which is in one
 * queue at most. With the heap's lock.
 */
final class SlabQueues {
  private final @Nullable Slab[] first = new Slab[SizeClasses.COUNT];
  private final @Nullable Slab[] last = new Slab[SizeClasses.COUNT];

  /** The slab of the class that is first in its queue; {@code nextQueued} leads on. */
  @Nullable Slab first(int sizeClass) {
    return first[sizeClass];
  }

  /** The slab of the class that is last in its queue. */
  @Nullable Slab last(int sizeClass) {
    return last[sizeClass];
  }

  /** Adds a slab behind those of its class. */
  void add(Slab slab) {
    int sizeClass = slab.kind();
    Slab previous = last[sizeClass];
    slab.previousQueued = previous;
    slab.nextQueued = null;
    if (previous == null) {
      first[sizeClass] = slab;
    } else {
      previous.nextQueued = slab;
    }
    last[sizeClass] = slab;
  }

  /** Adds a slab in front of those of its class. */
  void addFirst(Slab slab) {
    int sizeClass = slab.kind();
    Slab next = first[sizeClass];
    slab.previousQueued = null;
    slab.nextQueued = next;
    if (next == null) {
      last[sizeClass] = slab;
    } else {
      next.previousQueued = slab;
    }
    first[sizeClass] = slab;
  }

  /** Takes a slab out, wherever it stands. */
  void remove(Slab slab) {
    int sizeClass = slab.kind();
    Slab previous = slab.previousQueued;
    Slab next = slab.nextQueued;
    if (previous == null) {
      first[sizeClass] = next;
    } else {
      previous.nextQueued = next;
    }
    if (next == null) {
      last[sizeClass] = previous;
    } else {
      next.previousQueued = previous;
    }
    slab.previousQueued = null;
    slab.nextQueued = null;
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
