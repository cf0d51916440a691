package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Span;
import org.jspecify.annotations.Nullable;

/**
 * Where a heap takes a slot from when its current slab is exhausted. With the heap's lock; the
 * heap's owner only.
 *
 * <p>The steps, in the order of what they cost. Free slots come before pages that would have to
 * become live:
 *
 * <ol>
 *   <li>the current slab, if a slot came back meanwhile;
 *   <li>what other threads have freed of the current slab, unless an available one has many slots;
 *   <li>an available slab of the class;
 *   <li>free pages inside slabs are given back, if too many lie there; then 1 to 3 once more;
 *   <li>slots of the current slab that have no pages yet: pages are committed;
 *   <li>the same of a partly committed slab;
 *   <li>a retired slab of the class, with the pages that it kept;
 *   <li>a new span.
 * </ol>
 */
final class SlotSearch {
  private final Heap heap;
  private final PageHeap pages;
  private final SlabLists lists;
  private final ClockSweep sweep;

  SlotSearch(Heap heap, PageHeap pages, SlabLists lists, ClockSweep sweep) {
    this.heap = heap;
    this.pages = pages;
    this.lists = lists;
    this.sweep = sweep;
  }

  /** Takes a slot of what is the current slab from then on; {@link Slab#NONE_FREE}: none. */
  int take(int sizeClass) {
    int number = takeFree(sizeClass);
    if (number == Slab.NONE_FREE) {
      sweep.unlinkBeforeGrowth(Math.max(Slab.COMMIT_STEP_BYTES, SizeClasses.slotBytes(sizeClass)));
      number = takeFree(sizeClass); // It may have drained what others had freed.
    }
    if (number == Slab.NONE_FREE) {
      number = takeOfPartlyCommitted(sizeClass);
    }
    return number == Slab.NONE_FREE ? takeOfOpened(sizeClass) : number;
  }

  /** Steps 1 to 3: no page need become live. */
  private int takeFree(int sizeClass) {
    Slab current = lists.current(sizeClass);
    int number = current.pop();
    if (number != Slab.NONE_FREE) {
      return number;
    }
    if (!lists.drainNext(sizeClass) && current.drainRemote()) {
      lists.postponeNext(sizeClass);
      return current.pop();
    }
    Slab resting = lists.resting(sizeClass);
    Slab available = lists.takeAvailable(sizeClass);
    if (available == null) {
      return Slab.NONE_FREE;
    }
    if (available != resting) {
      sweep.use(sizeClass, available.freeBytes());
    }
    makeCurrent(available);
    return available.pop();
  }

  /** Steps 5 and 6. What has no room is put aside again, behind the last one. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private int takeOfPartlyCommitted(int sizeClass) {
    if (lists.current(sizeClass).commitSlots(pages)) {
      return lists.current(sizeClass).pop();
    }
    Slab last = lists.lastPartlyCommitted(sizeClass);
    Slab tried = null;
    while (tried != last) {
      tried = lists.takePartlyCommitted(sizeClass);
      makeCurrent(tried);
      if (tried.freeBytes() > 0 || tried.drainRemote() || tried.commitSlots(pages)) {
        return tried.pop();
      }
    }
    return Slab.NONE_FREE;
  }

  /** Steps 7 and 8. Available slabs that are left have nothing to give but their addresses. */
  private int takeOfOpened(int sizeClass) {
    heap.retireEmptyAvailable(sizeClass);
    Slab opened = open(sizeClass);
    if (opened == null) {
      return Slab.NONE_FREE;
    }
    makeCurrent(opened);
    return opened.freeBytes() > 0 || opened.commitSlots(pages) ? opened.pop() : takeFree(sizeClass);
  }

  private @Nullable Slab open(int sizeClass) {
    Span retired = pages.takeRetired(SizeClasses.spanSize(sizeClass), sizeClass);
    if (retired instanceof Slab slab) {
      if (slab.heap() != heap) {
        // Whoever still holds an object of a block that it has released is on another thread now.
        slab.forgetCached();
      }
      slab.adoptedBy(heap);
      heap.own(slab);
      return slab;
    }
    Slab fresh = new Slab(heap, sizeClass);
    if (!pages.open(fresh)) {
      return null;
    }
    heap.own(fresh);
    return fresh;
  }

  private void makeCurrent(Slab slab) {
    Slab exhausted = lists.makeCurrent(slab);
    if (exhausted == Slab.NONE || lists.tryMakeFull(exhausted)) {
      return;
    }
    if (exhausted.live() > 0) {
      lists.rest(exhausted);
      heap.requestScan(); // A look before now has passed by it, and a push may tell nobody.
    } else {
      lists.makeAvailable(exhausted);
      heap.retireIfEmpty(exhausted);
    }
  }
}
