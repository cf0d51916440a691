package dev.weir.memory.heap;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of one heap that are not the current ones of their size classes and may give slots
 * sooner or later. Available ones have had a free slot since they were full, or when they ceased to
 * be current. Hollow ones are full, and have room for slots that are not carved: their pages were
 * given back, or never used. With the heap's lock.
 */
/*
 * A hollow slab costs pages, an available one none, so it is carved only where no slot is free. It is marked as every
 * full one is, and comes back when a slot of it is freed. Of an empty slab none would be: that is never put aside.
 *
 *   neither current nor full <=> available          isHollow <=> hollow, and then full, with a live slot
 *
 * but for a full one whose last slots came free, or went with unlinked pages: somebody is on the way to tell the heap,
 * and whoever takes the heap's slabs over before that looks for itself (Heap.adopt).
 */
final class WaitingSlabs {
  /** So small a part of a slab's slots are few. */
  private static final int FEW = 4;

  private final SlabQueues available = new SlabQueues();
  private final SlabQueues hollow = new SlabQueues();
  private final @Nullable Slab[] resting = new Slab[SizeClasses.COUNT];

  /** The one of the class that is taken next; {@code nextQueued} leads on. */
  @Nullable Slab firstAvailable(int sizeClass) {
    return available.first(sizeClass);
  }

  /** The one of the class that was put aside first; {@code nextQueued} leads on. */
  @Nullable Slab firstHollow(int sizeClass) {
    return hollow.first(sizeClass);
  }

  /** The hollow one of the class that was put aside last. */
  @Nullable Slab lastHollow(int sizeClass) {
    return hollow.last(sizeClass);
  }

  /** The one that rests, available, until it is taken or another rests. */
  @Nullable Slab resting(int sizeClass) {
    return resting[sizeClass];
  }

  /** Adds an available one, which tells from now on when it becomes empty. */
  void add(Slab slab) {
    slab.noticeWhenEmpty();
    available.add(slab);
  }

  /**
   * Adds one that ceases to be current with slots that others have freed: it rests, and comes
   * before all others when its successor is exhausted, if it has many free slots then. Where others
   * free as fast as the heap takes, so two slabs take turns. What has rested until now waits as all
   * others do.
   */
  void addResting(Slab slab) {
    slab.noticeWhenEmpty();
    available.addFirst(slab);
    resting[slab.kind()] = slab;
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

  /**
   * Whether the next one has many free slots, those included that others have freed. It is worth
   * leaving the current one to who may just be freeing slots of it: a stack that is drained as it
   * fills gives a slot or two, and its cache line goes to and fro. Else those come first, so that
   * slabs with few free slots are left alone, and their pages grow idle.
   */
  boolean nextGivesMany(int sizeClass) {
    Slab next = available.first(sizeClass);
    if (next == null) {
      return false;
    }
    next.drainRemote();
    return next.freeBytes() >= next.slots() * next.slotBytes() / FEW;
  }

  /** Takes out an available one. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  void remove(Slab slab) {
    available.remove(slab);
    if (slab == resting[slab.kind()]) {
      resting[slab.kind()] = null;
    }
  }

  /**
   * Takes out the first in the queue that has a free slot, and puts aside those before it. Empty
   * ones on whose pages nothing is carved stay where they are.
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
        if (!tryPutAside(slab)) {
          slab.drainRemote();
          return slab;
        }
      }
    }
    return null;
  }

  /**
   * Puts aside a slab without a free slot that is in no queue.
   *
   * @return false if it is empty, or others have freed slots meanwhile: it is in no queue still
   */
  boolean tryPutAside(Slab slab) {
    if (slab.live() == 0 || !slab.tryBecomeFull()) {
      return false;
    }
    if (!slab.fullyCarved()) {
      slab.isHollow = true;
      hollow.add(slab);
    }
    return true;
  }

  /** Takes out the hollow one of the class that was put aside first, to be carved. */
  Slab takeHollow(int sizeClass) {
    Slab slab = Objects.requireNonNull(hollow.first(sizeClass), "none is hollow");
    takeBack(slab);
    return slab;
  }

  /** A full one has a free slot, or is to be carved: it is in no queue then. */
  void takeBack(Slab slab) {
    if (slab.isHollow) {
      slab.isHollow = false;
      hollow.remove(slab);
    }
    slab.ceaseToBeFull();
  }

  /** Adds a full one that another heap had. */
  void adoptFull(Slab slab) {
    if (slab.isHollow) {
      hollow.add(slab);
    }
  }

  /** Takes all of them out; hollow ones remain what they are, for {@link #adoptFull}. */
  void clear() {
    available.clear();
    Arrays.fill(resting, null);
    hollow.clear();
  }
}
