package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import java.util.function.Consumer;

/**
 * Takes pages out of the slabs of a heap on which nothing but free slots lies. Somebody gives them
 * back later, without the heap's lock. What does not say otherwise is for the holder of the lock
 * who is alone.
 */
final class PageUnlinks {
  private final Heap heap;
  private final PageHeap pages;
  private final SlabLists lists;

  PageUnlinks(Heap heap, PageHeap pages, SlabLists lists) {
    this.heap = heap;
    this.pages = pages;
    this.lists = lists;
  }

  /**
   * Retires every slab that has no live slot, and unlinks the free pages of the others.
   *
   * @param purges gets what is to be given back inside slabs, to be run without a lock
   */
  void trim(Consumer<InsidePurge> purges) {
    heap.recoverMissed();
    heap.retireEmptySlabs();
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      if (lists.current(sizeClass) != Slab.NONE) {
        purgeInside(lists.current(sizeClass), purges);
      }
      for (Slab slab = lists.firstAvailable(sizeClass); slab != null; slab = slab.nextQueued) {
        purgeInside(slab, purges);
      }
      // Pages that were never committed, or whose last slot has just come free, may be live.
      for (Slab slab = lists.firstPartlyCommitted(sizeClass);
          slab != null;
          slab = slab.nextQueued) {
        slab.drainRemote();
        purgeInside(slab, purges);
      }
    }
  }

  private void purgeInside(Slab slab, Consumer<InsidePurge> purges) {
    purgeInside(slab, Slab.ALL, purges);
  }

  private void purgeInside(Slab slab, int most, Consumer<InsidePurge> purges) {
    PageSet free = slab.unlinkFreePages(most, pages.pageBytes());
    if (free != null) {
      purge(slab, free, purges);
    }
  }

  /**
   * Has pages purged that were unlinked of a slab. Any thread that holds the lock.
   *
   * @param purges gets what is to be given back, to be run without a lock
   */
  void purge(Slab slab, PageSet free, Consumer<InsidePurge> purges) {
    InsidePurge purge = null;
    try {
      purge = new InsidePurge(pages, slab, free);
      purge.announce();
      purges.accept(purge);
    } catch (Throwable e) {
      // Whether it has been run, or could not be entered: nobody is to wait for it.
      if (purge == null) {
        slab.purgeEnded();
      } else {
        purge.drop();
      }
      throw e;
    }
  }

  /**
   * Unlinks the free pages of some slabs: of those that are still the heap's.
   *
   * @param agedOnly whether slots that have not aged are left alone
   * @param purges gets what is to be given back inside slabs, to be run without a lock
   */
  void unlinkFree(Iterable<Slab> slabs, boolean agedOnly, Consumer<InsidePurge> purges) {
    for (Slab slab : slabs) {
      if (slab.ownedBy == heap) {
        slab.drainRemote();
        purgeInside(slab, agedOnly ? slab.agedSlots : Slab.ALL, purges);
      }
    }
  }

  /** Unlinks the free pages of a slab, for whoever gets the lock back. */
  void unlinkForPurger(Slab slab) {
    slab.drainRemote();
    purgeInside(slab, heap::addUnlinked);
  }
}
