package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sync.BiasedLock;
import dev.weir.memory.sync.SpinLock;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that one owner allocates from: of every size class one current slab, those that wait
 * for their turn ({@link SlabLists}), and full ones, which, once all their slots are committed, are
 * in no list of their own until one of these comes free.
 *
 * <p>What does not say "any thread" is the owner's: the thread of an {@link OwnedHeap}, the holder
 * of a stripe's {@link #lock}. The thread of an {@code OwnedHeap} takes and puts back slots without
 * the lock, and holds it for everything else. So any thread that holds it may take what lies free
 * ("beside the owner"), see {@link SlotStack}.
 */
abstract sealed class Heap permits OwnedHeap, SharedHeap.Stripe {
  /** Held by whoever touches more than one slot's place in a stack. */
  final BiasedLock lock = new BiasedLock();

  private final PageHeap pages;
  private final SlabLists lists = new SlabLists();
  private final OwnedSlabs owned = new OwnedSlabs(this);
  private final ClockSweep sweep;
  private final SlotSearch search;
  private final PageUnlinks unlinks;
  private final Arrivals arrivals = new Arrivals();

  /** What the holder of the lock has unlinked and will purge without it. */
  private @Nullable List<InsidePurge> unlinked;

  /**
   * Whether an available slab may have become empty without its heap's notice: others freed slots
   * of it, or its last slot came back while an arrival or a purge was under way. Any thread sets it
   * after the fact, who holds the lock clears it before it looks, with a fence between: either the
   * look finds the slab or the flag stays.
   */
  private volatile boolean needsScan;

  /** Set before the slabs are handed over; pairs with the read in {@link #notifyOwner}. */
  private volatile boolean closed;

  Heap(PageHeap pages) {
    this.pages = pages;
    this.sweep = new ClockSweep(this, pages, owned);
    this.search = new SlotSearch(this, pages, lists, sweep);
    this.unlinks = new PageUnlinks(this, pages, lists);
  }

  final PageHeap pages() {
    return pages;
  }

  /** The owner is about to do more than take or put back a slot. */
  abstract void enter();

  /** Ends what {@link #enter} has begun. */
  abstract void leave();

  /** Whether the caller, who holds the lock, is the owner or has no owner beside it. */
  abstract boolean isAlone();

  /** The thread that the slabs belong to; null where whoever holds a lock has them. */
  abstract @Nullable Thread owner();

  /** Puts a slot of one of this heap's slabs back, from any thread but the {@link #owner}. */
  abstract void freeElsewhere(Slab slab, int number);

  /** Puts a slot of one of this heap's slabs back, and its charge, from any thread. */
  void release(Slab slab, int number, Budget payer) {
    payer.uncharge(slab.blockBytes());
    slab.free(number);
  }

  /**
   * Takes a slot of the class, or returns null if the limit has no room for another slab or page.
   */
  final <T> @Nullable T allocateSlot(int sizeClass, BlockFactory<T> factory) {
    Slab slab = lists.current(sizeClass);
    int number = slab.pop();
    if (number == Slab.NONE_FREE) {
      number = refill(sizeClass);
      if (number == Slab.NONE_FREE) {
        return null;
      }
      slab = lists.current(sizeClass);
    }
    try {
      return factory.create(slab, number, slab.cached(number));
    } catch (Throwable e) {
      freeLocally(slab, number);
      throw e;
    }
  }

  /** The slab that is allocated from first; {@link Slab#NONE} if there is none. */
  final Slab current(int sizeClass) {
    return lists.current(sizeClass);
  }

  /** Puts back a slot of one of this heap's slabs. */
  final void freeLocally(Slab slab, int number) {
    slab.freeLocally(number, this);
  }

  /** Puts back a slot without being the owner. Any thread. */
  static void freeRemotely(Slab slab, int number) {
    if (slab.pushRemote(number)) {
      notifyOwner(slab);
    } else {
      slab.heap().requestScan();
    }
  }

  /** A look was cut short, or may have come too early. Any thread. */
  final void requestScan() {
    if (!needsScan) {
      needsScan = true;
    }
  }

  /** Has whoever gives the lock back run a purge, or have it run. */
  final void addUnlinked(InsidePurge purge) {
    if (unlinked == null) {
      unlinked = new ArrayList<>();
    }
    unlinked.add(purge);
  }

  /**
   * Gives the lock back, and leaves what was unlinked under it to somebody, who runs it or has it
   * run. Throws nothing.
   */
  final void unlock(Consumer<InsidePurge> purger) {
    List<InsidePurge> purges = unlinked;
    if (purges == null) {
      lock.unlock(); // Nothing is written here that lies beside what each remote free reads.
    } else {
      unlinked = null;
      lock.unlock();
      InsidePurge.handOn(purges, purger);
    }
  }

  /** The slabs by their states. */
  final SlabLists lists() {
    return lists;
  }

  /** Whether there are any; others may just have retired the last one. */
  final boolean hasSlabs() {
    return owned.size() > 0;
  }

  /** Every slab. Any thread that holds the lock. */
  final List<Slab> slabs() {
    List<Slab> all = new ArrayList<>(owned.size());
    for (Slab slab = owned.first(); slab != null; slab = slab.nextOwned) {
      all.add(slab);
    }
    return all;
  }

  /** Retires a slab that the caller has emptied; not a current one. Any thread with the lock. */
  final void retireEmptied(Slab slab) {
    retire(slab);
  }

  /**
   * Looks after slabs of which nobody has told the heap. Any thread that holds the lock.
   *
   * @param alone whether there is no owner beside the caller, who may take from slabs
   */
  final void attend(boolean alone) {
    if (closed) {
      return; // What arrives now is sent on, to the slab's heap.
    }
    needsScan = false;
    VarHandle.fullFence();
    takeArrivals(alone);
  }

  /** As {@link #attend} beside an owner, but looks at all full slabs: also undelivered ones. */
  final void scanAll() {
    recoverMissed();
    attend(/* alone= */ false);
  }

  /** Retires every slab that has no live slot. */
  final void retireEmptySlabs() {
    attend(/* alone= */ true);
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      Slab slab = lists.current(sizeClass);
      if (slab != Slab.NONE) {
        slab.drainRemote();
        if (slab.isEmpty()) {
          retire(slab);
        }
      }
      retireEmptyAvailable(sizeClass);
    }
  }

  /** Retires every available slab of a class that has no live slot. */
  final void retireEmptyAvailable(int sizeClass) {
    Slab next;
    for (Slab slab = lists.firstAvailable(sizeClass); slab != null; slab = next) {
      next = slab.nextQueued;
      slab.drainRemote();
      retireIfEmpty(slab);
    }
  }

  /** What takes free pages out of slabs, for somebody who gives them back. */
  final PageUnlinks unlinks() {
    return unlinks;
  }

  /** What gives back what lies free as pages become live. */
  final ClockSweep sweep() {
    return sweep;
  }

  /**
   * Whether there seem to be empty slabs, as another thread sees it; may err for slabs in use. Any
   * thread.
   */
  final boolean looksRetirable() {
    if (closed) {
      return false;
    }
    if (needsScan || arrivals.hasAnyOpaque()) {
      return true;
    }
    if (owner() != null) {
      return false; // Nobody else retires a current slab.
    }
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      Slab slab = lists.current(sizeClass);
      if (slab != Slab.NONE && (slab.liveOpaque() == 0 || slab.hasRemoteOpaque())) {
        return true;
      }
    }
    return false;
  }

  /** Hands every slab to another heap, whose owner the caller must be as well. */
  final void handOverTo(Heap heir) {
    closed = true;
    takeArrivals(/* alone= */ true);
    lists.clear();
    for (Slab slab = owned.removeAny(); slab != null; slab = owned.removeAny()) {
      heir.adopt(slab);
    }
    forwardArrivals();
  }

  /** It is one of this heap's from now on. */
  final void own(Slab slab) {
    owned.add(slab);
  }

  private void adopt(Slab slab) {
    owned.add(slab);
    slab.adoptedBy(this);
    // Either the look into the slab finds what others free, or they see this heap, and flag it.
    VarHandle.fullFence();
    if (slab.state().isFull()) {
      lists.adoptFull(slab);
      if (slab.freeBytes() == 0 && slab.live() > 0) {
        return;
      }
      // A slot came free, and its last heap closed before it had heard.
    } else {
      slab.drainRemote();
    }
    lists.makeAvailable(slab);
    retireIfEmpty(slab);
  }

  /** Takes a slot of what is the current slab from then on. */
  private int refill(int sizeClass) {
    enter();
    try {
      if (closed) {
        return Slab.NONE_FREE;
      }
      takeArrivals(/* alone= */ true);
      return search.take(sizeClass);
    } finally {
      leave();
    }
  }

  /**
   * A local free has brought a slab to the count that it was to tell of, or has met somebody who
   * took slots of it.
   */
  final void notified(Slab slab) {
    enter();
    try {
      // Somebody beside the owner may have retired it by now.
      if (slab.ownedBy == this) {
        look(slab);
      }
    } finally {
      leave();
    }
  }

  private void look(Slab slab) {
    if (slab.state() == SlabState.CURRENT) {
      slab.notifyNever();
    } else {
      if (slab.state().isFull()) {
        lists.makeAvailable(slab);
      } else {
        slab.drainRemote();
        slab.notifyWhenEmpty();
      }
      retireIfEmpty(slab);
    }
  }

  /**
   * Takes full slabs of which a slot has come free, though nobody has told of it. Whoever is to
   * tell of a slot, or forwards what arrived at a closed heap, may have been interrupted, and
   * others have freed the rest of the slab, or told, meanwhile.
   */
  final void recoverMissed() {
    for (Slab slab = owned.first(); slab != null; slab = slab.nextOwned) {
      // Its slot may have been taken, and forgotten, beside the owner.
      boolean lostSlots =
          slab.live() == 0 || (slab.state() == SlabState.FULL && !slab.areAllCommitted());
      if (slab.state().isFull() && (slab.freeBytes() > 0 || lostSlots || slab.hasRemoteOpaque())) {
        lists.makeAvailable(slab);
      }
    }
  }

  /** For an available slab. */
  final void retireIfEmpty(Slab slab) {
    if (slab.isEmpty()) {
      retire(slab);
    } else if (slab.liveOpaque() == 0) {
      requestScan();
    }
  }

  private void retire(Slab slab) {
    lists.retire(slab);
    owned.remove(slab);
    pages.retire(slab);
  }

  /** Sends a slab to its heap, once for every mark that a push replaced. Any thread. */
  static void notifyOwner(Slab slab) {
    Heap heap = slab.heap();
    heap.arrivals.add(slab);
    // Sequentially consistent with handOverTo: either its last look finds the slab, or this read
    // sees `closed`.
    if (heap.closed) {
      heap.forwardArrivals();
    }
  }

  /** Sends what arrived at a closed heap on to the heaps that have the slabs now. Any thread. */
  private void forwardArrivals() {
    Slab next;
    for (Slab slab = arrivals.takeAll(); slab != null; slab = next) {
      next = slab.nextArrival;
      while (slab.heap() == this) {
        SpinLock.giveWay();
      }
      notifyOwner(slab);
    }
  }

  private void takeArrivals(boolean alone) {
    if (!arrivals.hasAnyOpaque()) {
      return;
    }
    Slab next;
    for (Slab slab = arrivals.takeAll(); slab != null; slab = next) {
      next = slab.nextArrival;
      slab.nextArrival = null;
      takeArrival(slab, alone);
    }
  }

  private void takeArrival(Slab slab, boolean alone) {
    if (alone) {
      slab.drainRemote();
    }
    if (slab.state().isFull()) {
      slab.expectArrival();
      lists.makeAvailable(slab);
    }
    slab.arrived();
    if (alone && slab.state() != SlabState.CURRENT) {
      retireIfEmpty(slab);
    }
  }
}
