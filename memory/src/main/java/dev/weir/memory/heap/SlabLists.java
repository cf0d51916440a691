package dev.weir.memory.heap;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of one heap by their {@link SlabState}, and every transition between these. With the
 * heap's lock; the owner reads the current slabs without it.
 */
/*
 * A full slab is marked (RemoteSlots), and comes back when a slot of it is freed. Of an empty slab none would be: that
 * never becomes full. One whose last slots came free since, or went with unlinked pages, is full until its heap hears of
 * it: somebody is on the way to tell, and whoever takes the heap's slabs over before that looks for itself (Heap.adopt).
 */
final class SlabLists {
  /** So small a part of a slab's slots are few. */
  private static final int FEW = 4;

  private final Slab[] current = new Slab[SizeClasses.COUNT];
  private final SlabQueues available = new SlabQueues();
  private final SlabQueues partlyCommitted = new SlabQueues();
  private final @Nullable Slab[] resting = new Slab[SizeClasses.COUNT];

  SlabLists() {
    Arrays.fill(current, Slab.NONE);
  }

  // Looking.

  /** The slab that is allocated from first; {@link Slab#NONE} if there is none. */
  Slab current(int sizeClass) {
    return current[sizeClass];
  }

  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  boolean isCurrent(Slab slab) {
    return slab == current[slab.kind()];
  }

  /** The available one of the class that is taken next; {@code nextQueued} leads on. */
  @Nullable Slab firstAvailable(int sizeClass) {
    return available.first(sizeClass);
  }

  /** The partly committed one that was put aside first; {@code nextQueued} leads on. */
  @Nullable Slab firstPartlyCommitted(int sizeClass) {
    return partlyCommitted.first(sizeClass);
  }

  /** The partly committed one that was put aside last. */
  @Nullable Slab lastPartlyCommitted(int sizeClass) {
    return partlyCommitted.last(sizeClass);
  }

  /** The one that rests, available, until it is taken or another rests. */
  @Nullable Slab resting(int sizeClass) {
    return resting[sizeClass];
  }

  // Transitions.

  /**
   * RETIRED, AVAILABLE or PARTLY_COMMITTED to CURRENT. The caller has taken it out of its queue.
   *
   * @return the one that was current, still in that state: the caller finds its next
   */
  Slab makeCurrent(Slab slab) {
    Slab exhausted = current[slab.kind()];
    slab.becomeCurrent();
    current[slab.kind()] = slab;
    return exhausted;
  }

  /** CURRENT or FULL or PARTLY_COMMITTED to AVAILABLE: it tells when it becomes empty. */
  void makeAvailable(Slab slab) {
    takeFull(slab);
    slab.become(SlabState.AVAILABLE);
    slab.notifyWhenEmpty();
    available.add(slab);
  }

  /**
   * CURRENT to AVAILABLE, with slots that others have freed: it rests, and comes before all others
   * when its successor is exhausted, if it has many free slots then. Where others free as fast as
   * the heap takes, so two slabs take turns. What has rested until now waits as all others do.
   */
  void rest(Slab slab) {
    slab.become(SlabState.AVAILABLE);
    slab.notifyWhenEmpty();
    available.addFirst(slab);
    resting[slab.kind()] = slab;
  }

  /**
   * CURRENT or AVAILABLE to FULL or PARTLY_COMMITTED: a slab without a free slot, in no queue.
   *
   * @return false if it is empty, or others have freed slots meanwhile: nothing has changed
   */
  boolean tryMakeFull(Slab slab) {
    if (slab.live() == 0 || !slab.tryMarkFull()) {
      return false;
    }
    if (slab.areAllCommitted()) {
      slab.become(SlabState.FULL);
    } else {
      slab.become(SlabState.PARTLY_COMMITTED);
      partlyCommitted.add(slab);
    }
    return true;
  }

  /** Takes out the partly committed one that was put aside first, to become CURRENT. */
  Slab takePartlyCommitted(int sizeClass) {
    Slab slab = Objects.requireNonNull(partlyCommitted.first(sizeClass), "there is none");
    takeFull(slab);
    return slab;
  }

  private void takeFull(Slab slab) {
    if (slab.state() == SlabState.PARTLY_COMMITTED) {
      partlyCommitted.remove(slab);
    }
    if (slab.state().isFull()) {
      slab.unmarkFull();
    }
  }

  /** CURRENT or AVAILABLE to RETIRED: it has no live slot. */
  void retire(Slab slab) {
    if (isCurrent(slab)) {
      current[slab.kind()] = Slab.NONE;
    } else {
      remove(slab);
    }
    slab.become(SlabState.RETIRED);
  }

  /** Takes a full slab over, as it is, from the lists of another heap. */
  void adoptFull(Slab slab) {
    if (slab.state() == SlabState.PARTLY_COMMITTED) {
      partlyCommitted.add(slab);
    }
  }

  /** Takes all of them out, each in the state that it has. */
  void clear() {
    Arrays.fill(current, Slab.NONE);
    Arrays.fill(resting, null);
    available.clear();
    partlyCommitted.clear();
  }

  // The order of those that are available.

  /**
   * Takes out the first that has a free slot, and makes those before it full. Empty ones on whose
   * pages nothing is committed stay where they are.
   */
  @Nullable Slab takeAvailable(int sizeClass) {
    Slab next;
    for (Slab slab = available.first(sizeClass); slab != null; slab = next) {
      next = slab.nextQueued;
      if (slab.freeBytes() > 0 || slab.drainRemote()) {
        remove(slab);
        return slab;
      }
      if (slab.live() > 0) {
        remove(slab);
        if (!tryMakeFull(slab)) {
          slab.drainRemote();
          return slab;
        }
      }
    }
    return null;
  }

  /** Takes an available one out of its queue: a transition follows. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  void remove(Slab slab) {
    available.remove(slab);
    if (slab == resting[slab.kind()]) {
      resting[slab.kind()] = null;
    }
  }

  /**
   * Drains the next one.
   *
   * @return whether it has many free slots now. It is worth leaving the current one to who may just
   *     be freeing slots of it: a stack that is drained as it fills gives a slot or two, and its
   *     cache line goes to and fro. Else those come first, so that slabs with few free slots are
   *     left alone, and their pages grow idle.
   */
  boolean drainNext(int sizeClass) {
    Slab next = available.first(sizeClass);
    if (next == null) {
      return false;
    }
    next.drainRemote();
    return next.freeBytes() >= next.slots() * next.slotBytes() / FEW;
  }

  /**
   * Has another come next, which may have more free slots: the next one goes behind all others, or
   * if it rests behind one, so that it gets its turn again.
   */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  void postponeNext(int sizeClass) {
    Slab next = available.first(sizeClass);
    if (next == null) {
      return;
    }
    Slab second = next.nextQueued;
    if (next != resting[sizeClass]) {
      available.remove(next);
      available.add(next);
    } else if (second != null) {
      available.remove(second);
      available.addFirst(second);
    }
  }
}
