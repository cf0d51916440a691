package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.pages.Span;
import dev.weir.memory.sync.BiasedLock;
import dev.weir.memory.sync.SpinLock;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that one owner allocates from: of every size class one current slab, those that wait
 * for their turn ({@link WaitingSlabs}), and full ones, which, once all their slots are carved, are
 * in no list of their own until one of these comes free.
 *
 * <p>What does not say "any thread" is the owner's: the thread of an {@link OwnedHeap}, the holder
 * of a stripe's {@link #lock}. The thread of an {@code OwnedHeap} takes and puts back slots without
 * the lock, and holds it for everything else. So any thread that holds it may take what lies free
 * ("beside the owner"), see {@link LocalSlots}.
 */
/*
 * A slab that is being moved from one list to another, or parked, is in none for a moment. So whatever does that looks
 * before whether the stack has room for the whole of it, the page heap's lock included (StackRoom). A slot that the
 * heap itself puts back is back by then: its slab is found by a look at all slabs.
 */
abstract sealed class Heap permits OwnedHeap, SharedHeap.Stripe {
  /** Held by whoever touches more than one slot's place in a stack. */
  final BiasedLock lock = new BiasedLock();

  private final PageHeap pages;
  private final Slab[] current = new Slab[SizeClasses.COUNT];
  private final WaitingSlabs waiting = new WaitingSlabs();
  private final OwnedSlabs owned = new OwnedSlabs(this);
  private final Rounds rounds;
  private final Arrivals arrivals = new Arrivals();

  /** What the holder of the lock has unlinked and will purge without it. */
  private @Nullable List<InsidePurge> unlinked;

  /**
   * Whether an available slab may have become empty without its heap's notice: others freed slots
   * of it, or its last slot came back while an arrival or a purge was under way. Any thread sets it
   * after the fact, who holds the lock clears it before it looks, with a fence between: either the
   * look finds the slab or the flag stays.
   */
  private volatile boolean unattended;

  /** Set before the slabs are handed over; pairs with the read in {@link #sendArrival}. */
  private volatile boolean closed;

  Heap(PageHeap pages) {
    this.pages = pages;
    this.rounds = new Rounds(this, pages, owned);
    Arrays.fill(current, Slab.NONE);
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
  final <T> @Nullable T allocateSlot(int sizeClass, Tenants<T> tenants) {
    Slab slab = current[sizeClass];
    int number = slab.pop();
    if (number == Slab.NONE_FREE) {
      number = refill(sizeClass);
      if (number == Slab.NONE_FREE) {
        return null;
      }
      slab = current[sizeClass];
    }
    try {
      return tenants.settle(slab, number, slab.tenant(number));
    } catch (Throwable e) {
      freeLocally(slab, number);
      throw e;
    }
  }

  /** The slab that is allocated from first; {@link Slab#NONE} if there is none. */
  final Slab current(int sizeClass) {
    return current[sizeClass];
  }

  /** Puts back a slot of one of this heap's slabs. */
  final void freeLocally(Slab slab, int number) {
    slab.freeLocally(number, this);
  }

  /** Puts back a slot without being the owner. Any thread. */
  static void freeRemotely(Slab slab, int number) {
    if (slab.pushRemote(number)) {
      sendArrival(slab);
    } else {
      slab.heap().leaveUnattended();
    }
  }

  /** A look was cut short, or may have come too early. Any thread. */
  final void leaveUnattended() {
    if (!unattended) {
      unattended = true;
    }
  }

  private void addUnlinked(InsidePurge purge) {
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

  /** Those that are not current, and have a free slot, or room for one. */
  final WaitingSlabs waiting() {
    return waiting;
  }

  /** Whether there are any; others may just have parked the last one. */
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

  /** Parks a slab that the caller has emptied; not a current one. Any thread with the lock. */
  final void parkEmptied(Slab slab) {
    waiting.remove(slab);
    park(slab);
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
    unattended = false;
    VarHandle.fullFence();
    takeArrivals(alone);
  }

  /** As {@link #attend} beside an owner, but looks at all full slabs: also untold ones. */
  final void attendAll() {
    takeUntold();
    attend(/* alone= */ false);
  }

  /** Parks every slab that has no live slot. */
  final void parkEmptySlabs() {
    attend(/* alone= */ true);
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      Slab slab = current[sizeClass];
      if (slab != Slab.NONE) {
        slab.drainRemote();
        if (slab.isEmpty()) {
          current[sizeClass] = Slab.NONE;
          park(slab);
        }
      }
      parkEmptyAvailable(sizeClass);
    }
  }

  private void parkEmptyAvailable(int sizeClass) {
    Slab next;
    for (Slab slab = waiting.firstAvailable(sizeClass); slab != null; slab = next) {
      next = slab.nextQueued;
      slab.drainRemote();
      parkIfEmpty(slab);
    }
  }

  /**
   * Parks every slab that has no live slot, and unlinks the free pages of the others.
   *
   * @param purges gets what is to be given back inside slabs, to be run without a lock
   */
  final void trimSlabs(Consumer<InsidePurge> purges) {
    takeUntold();
    parkEmptySlabs();
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      if (current[sizeClass] != Slab.NONE) {
        purgeInside(current[sizeClass], purges);
      }
      for (Slab slab = waiting.firstAvailable(sizeClass); slab != null; slab = slab.nextQueued) {
        purgeInside(slab, purges);
      }
      // Pages that were never carved, or whose last slot has just come free, may be live.
      for (Slab slab = waiting.firstHollow(sizeClass); slab != null; slab = slab.nextQueued) {
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
  final void purge(Slab slab, PageSet free, Consumer<InsidePurge> purges) {
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
   * Unlinks the free pages of some slabs: of those that are still this heap's.
   *
   * @param agedOnly whether slots that have not aged are left alone
   * @param purges gets what is to be given back inside slabs, to be run without a lock
   */
  final void unlinkFree(Iterable<Slab> slabs, boolean agedOnly, Consumer<InsidePurge> purges) {
    for (Slab slab : slabs) {
      if (slab.ownedBy == this) {
        slab.drainRemote();
        purgeInside(slab, agedOnly ? slab.agedSlots : Slab.ALL, purges);
      }
    }
  }

  /** Unlinks the free pages of a slab, for whoever gets the lock back. */
  final void unlinkForPurger(Slab slab) {
    slab.drainRemote();
    purgeInside(slab, this::addUnlinked);
  }

  /** What gives back what lies free as pages become live. */
  final Rounds rounds() {
    return rounds;
  }

  /**
   * Whether there seem to be empty slabs, as another thread sees it; may err for slabs in use. Any
   * thread.
   */
  final boolean looksParkable() {
    if (closed) {
      return false;
    }
    if (unattended || arrivals.hasAnyOpaque()) {
      return true;
    }
    if (owner() != null) {
      return false; // Nobody else parks a current slab.
    }
    for (Slab slab : current) {
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
    Arrays.fill(current, Slab.NONE);
    waiting.clear();
    for (Slab slab = owned.removeAny(); slab != null; slab = owned.removeAny()) {
      heir.adopt(slab);
    }
    forwardArrivals();
  }

  private void adopt(Slab slab) {
    owned.add(slab);
    slab.adoptedBy(this);
    // Either the look into the slab finds what others free, or they see this heap, and flag it.
    VarHandle.fullFence();
    if (slab.isFull()) {
      waiting.adoptFull(slab);
      if (slab.freeBytes() == 0 && slab.live() > 0) {
        return;
      }
      makeAvailable(slab); // A slot came free, and its last heap closed before it had heard.
    } else {
      slab.drainRemote();
      waiting.add(slab);
    }
    parkIfEmpty(slab);
  }

  /** Takes a slot of what is the current slab from then on. */
  private int refill(int sizeClass) {
    enter();
    try {
      return closed ? Slab.NONE_FREE : takeOfAnySlab(sizeClass);
    } finally {
      leave();
    }
  }

  private int takeOfAnySlab(int sizeClass) {
    takeArrivals(/* alone= */ true);
    int number = takeFree(sizeClass);
    if (number == Slab.NONE_FREE) {
      rounds.unlinkBeforeGrowth(Math.max(Slab.COMMIT_STEP_BYTES, SizeClasses.slotBytes(sizeClass)));
      // It may have drained what others had freed.
      number = takeFree(sizeClass);
    }
    return number == Slab.NONE_FREE ? carve(sizeClass) : number;
  }

  /** Takes a slot for which no page need become live. */
  private int takeFree(int sizeClass) {
    int number = current[sizeClass].pop();
    if (number != Slab.NONE_FREE) {
      return number;
    }
    if (!waiting.nextGivesMany(sizeClass) && current[sizeClass].drainRemote()) {
      waiting.postponeNext(sizeClass);
      return current[sizeClass].pop();
    }
    Slab resting = waiting.resting(sizeClass);
    Slab available = waiting.takeAvailable(sizeClass);
    if (available == null) {
      return Slab.NONE_FREE;
    }
    if (available != resting) {
      rounds.use(sizeClass, available.freeBytes());
    }
    replaceCurrent(sizeClass, available);
    return available.pop();
  }

  /** Carves slots of the current slab, or of one that was put aside or parked, or of a new one. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private int carve(int sizeClass) {
    if (current[sizeClass].carve(pages)) {
      return current[sizeClass].pop();
    }
    // What has no room is put aside again, behind the last one.
    Slab last = waiting.lastHollow(sizeClass);
    Slab tried = null;
    while (tried != last) {
      tried = waiting.takeHollow(sizeClass);
      replaceCurrent(sizeClass, tried);
      if (tried.freeBytes() > 0 || tried.drainRemote() || tried.carve(pages)) {
        return tried.pop();
      }
    }
    parkEmptyAvailable(sizeClass); // Those that are left there give nothing but their addresses.
    Slab opened = openSlab(sizeClass);
    if (opened == null) {
      return Slab.NONE_FREE;
    }
    replaceCurrent(sizeClass, opened);
    return opened.freeBytes() > 0 || opened.carve(pages) ? opened.pop() : takeFree(sizeClass);
  }

  private void replaceCurrent(int sizeClass, Slab slab) {
    Slab exhausted = current[sizeClass];
    current[sizeClass] = slab;
    slab.becomeCurrent();
    if (exhausted == Slab.NONE || waiting.tryPutAside(exhausted)) {
      return;
    }
    if (exhausted.live() > 0) {
      waiting.addResting(exhausted);
      leaveUnattended(); // A look before now has passed by it, and a push may tell nobody.
    } else {
      waiting.add(exhausted);
      parkIfEmpty(exhausted);
    }
  }

  private @Nullable Slab openSlab(int sizeClass) {
    Span parked = pages.takeParked(SizeClasses.spanSize(sizeClass), sizeClass);
    if (parked instanceof Slab slab) {
      if (slab.heap() != this) {
        // Whoever still holds an object of a block that it has released is on another thread now.
        slab.forgetTenants();
      }
      slab.adoptedBy(this);
      owned.add(slab);
      return slab;
    }
    Slab fresh = new Slab(this, sizeClass);
    if (!pages.open(fresh)) {
      return null;
    }
    owned.add(fresh);
    return fresh;
  }

  /**
   * A local free has brought a slab to the count that it was to tell of, or has met somebody who
   * took slots of it.
   */
  final void noticed(Slab slab) {
    enter();
    try {
      // Somebody beside the owner may have parked it by now.
      if (slab.ownedBy == this) {
        look(slab);
      }
    } finally {
      leave();
    }
  }

  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private void look(Slab slab) {
    if (slab == current[slab.kind()]) {
      slab.noticeNothing();
    } else {
      if (slab.isFull()) {
        makeAvailable(slab);
      } else {
        slab.drainRemote();
        slab.noticeWhenEmpty();
      }
      parkIfEmpty(slab);
    }
  }

  /**
   * Takes full slabs of which a slot has come free, though nobody has told of it. Whoever is to
   * tell of a slot, or forwards what arrived at a closed heap, may have been interrupted, and
   * others have freed the rest of the slab, or told, meanwhile.
   */
  private void takeUntold() {
    for (Slab slab = owned.first(); slab != null; slab = slab.nextOwned) {
      // Its slot may have been taken, and forgotten, beside the owner.
      boolean lostSlots = slab.live() == 0 || !(slab.fullyCarved() || slab.isHollow);
      if (slab.isFull() && (slab.freeBytes() > 0 || lostSlots || slab.hasRemoteOpaque())) {
        makeAvailable(slab);
      }
    }
  }

  /** A slot of a full slab has come free. */
  private void makeAvailable(Slab slab) {
    waiting.takeBack(slab);
    waiting.add(slab);
  }

  /** For an available slab. */
  private void parkIfEmpty(Slab slab) {
    if (slab.isEmpty()) {
      waiting.remove(slab);
      park(slab);
    } else if (slab.liveOpaque() == 0) {
      leaveUnattended();
    }
  }

  private void park(Slab slab) {
    owned.remove(slab);
    pages.park(slab);
  }

  /** Sends a slab to its heap, once for every mark that a push replaced. Any thread. */
  static void sendArrival(Slab slab) {
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
      sendArrival(slab);
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
    boolean wasFull = slab.isFull();
    if (wasFull) {
      slab.expectArrival();
      makeAvailable(slab);
    }
    slab.arrived();
    if (alone && slab != current[slab.kind()]) {
      parkIfEmpty(slab);
    }
  }
}
