package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.sync.SpinLock;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A span cut into equal slots of one size class.
 *
 * <p>Free slots are in one of two places: the stack of {@link LocalSlots}, which is the slab's
 * heap's (its owner's, or whoever's that holds its stripe's lock), and {@link RemoteSlots}, where
 * every other thread puts them and the heap takes them all at once. A slot that lies there counts
 * as live until it is drained.
 *
 * <pre>
 *   committed slots = live + freeLocal          live = blocks in use + freed by others
 * </pre>
 */
/*
 * A full slab (SlabState) carries a mark in its remote frees. The remote thread whose push replaces the mark sends the
 * slab to its heap's arrivals; so an idle heap can be told that there is something to drain. When the heap frees a slot
 * of a full slab itself, it takes the mark away; if a remote thread was faster, that slab's arrival is still under way:
 * `arrivalPending` then keeps the slab from being marked again or retired until it has arrived.
 */
final class Slab extends RemoteSlots implements BlockContainer {
  /** More slots than any slab has. */
  static final int ALL = Integer.MAX_VALUE;

  /** Stands in current-slab tables where there is no slab: always exhausted. */
  static final Slab NONE = new Slab();

  /**
   * Somebody purges pages of this slab: they must not be committed, and the slab not be retired.
   * Volatile: whoever ends the purge publishes what it did to the pages.
   */
  private volatile boolean purgeInFlight;

  /** Written by {@link SlabLists}, with the heap's lock. */
  private SlabState state = SlabState.RETIRED;

  private boolean arrivalPending;

  /** Keeps what comes behind it in the Java heap off the cache lines of {@link RemoteSlots}. */
  @SuppressWarnings("unused")
  private long gap0, gap1, gap2, gap3, gap4, gap5, gap6, gap7;

  Slab(Heap heap, int sizeClass) {
    int slotBytes = SizeClasses.slotBytes(sizeClass);
    int slots = SizeClasses.spanSize(sizeClass).bytes() / slotBytes;
    super(heap, SizeClasses.spanSize(sizeClass), sizeClass, slotBytes, slots);
  }

  @SuppressWarnings("NullAway") // NONE is in no heap and never handed out
  private Slab() {
    super(null, SizeClasses.spanSize(0), 0, 0, 0);
  }

  @Override
  public long blockAddress(int number) {
    return address() + (long) number * slotBytes();
  }

  @Override
  public long blockBytes() {
    return slotBytes();
  }

  @Override
  public MemorySegment segment(int number) {
    return heap().pages().reservation().slice(blockAddress(number), slotBytes());
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return minBytes <= slotBytes();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  public void free(int number) {
    if (Thread.currentThread() != owner()) {
      heap().freeElsewhere(this, number);
    } else {
      freeLocally(number, heap());
    }
  }

  /**
   * Puts a slot back. The heap only.
   *
   * @param told the heap, which may lose the slab as soon as the slot is back
   */
  void freeLocally(int number, Heap told) {
    if (push(number)) {
      told.notified(this);
    }
  }

  @Override
  public void release(int number, Budget payer) {
    heap().release(this, number, payer);
  }

  @Override
  public void leave(int number, Object object) {
    setCached(number, object);
  }

  /** It is in the list of a heap, whose thread is its owner; or in none, and has none. */
  void listedBy(@Nullable Heap list, @Nullable Thread thread) {
    ownedBy = list;
    setOwner(thread);
  }

  /** Whether somebody gives pages of it back at the moment. */
  boolean isBeingPurged() {
    return purgeInFlight;
  }

  /** What has become idle since the last look, in whole pages: a guess at what lies free. */
  int newlyIdleBytes(int osPageBytes) {
    return Math.max(0, idleBytes() - scatteredBytes) / osPageBytes * osPageBytes;
  }

  /** The {@link #idleBytes}, and what others have freed, as another thread sees them. */
  int unusedBytes() {
    return idleBytes() + remoteCount() * slotBytes();
  }

  /**
   * What it holds, as another thread sees it: exact when nobody allocates or frees, whatever the
   * heap moves meanwhile. Pages are committed before slots are committed on them, and purged after
   * these are dropped, so there are enough for the slots that are seen.
   *
   * @param patience ends the looking for counts that belong together
   */
  SlabFigures figures(Patience patience) {
    while (true) {
      int before = movesBefore();
      int committed = committedSlotsOpaque();
      int inUse = Math.clamp(liveOpaque() - remoteCount(), 0, committed);
      int committedBytes = committedBytes();
      if (isUnmovedSince(before) || patience.isOver()) {
        Thread owner = heap() instanceof OwnedHeap owned ? owned.owner() : null;
        return new SlabFigures(kind(), inUse, committed - inUse, committedBytes, owner);
      }
      SpinLock.giveWay();
    }
  }

  SlabState state() {
    return state;
  }

  /** {@link SlabLists} only. */
  void become(SlabState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a slab that is " + state + " does not become " + next);
    }
    state = next;
  }

  boolean isEmpty() {
    return live() == 0 && !arrivalPending && !purgeInFlight;
  }

  /**
   * Moves what others have freed to the local stack; returns whether there was anything. The heap
   * only.
   */
  boolean drainRemote() {
    if (!hasRemoteOpaque()) {
      return false;
    }
    beginMove();
    for (int number = takeRemote(); number != END; number = nextRemote(number)) {
      addFree(number);
    }
    endMove();
    return true;
  }

  /**
   * Commits more slots, and pages for them; false if there is no more to commit or no room for the
   * pages, or pages are being purged.
   */
  boolean commitSlots(PageHeap pages) {
    return !purgeInFlight && commitMoreSlots(pages);
  }

  /**
   * Takes free slots out of the slab, and their objects with them, so that pages which hold nothing
   * else can be purged. The heap only; the pages must not be touched until {@link #purgeEnded}.
   *
   * @param most how many slots, at most: those that have been free longest
   * @return the pages to purge with {@link PageHeap#purgeInside}, or null if there are none
   */
  @Nullable PageSet unlinkFreePages(int most, int osPageBytes) {
    if (purgeInFlight) {
      return null;
    }
    PageSet free = freePages(most, osPageBytes);
    if (most == ALL) {
      barrenBytes = idleBytes() - free.size() * osPageBytes;
      scatteredBytes = barrenBytes;
    }
    if (free.isEmpty()) {
      barrenSlots = most;
      return null;
    }
    dropFreeSlotsOn(free, osPageBytes);
    purgeInFlight = true;
    return free;
  }

  /**
   * Begins to take free slots beside the owner: whoever does puts a heavy barrier into every thread
   * next, and calls {@link #endStealAll}, or {@link #cancelSteal}. With the heap's lock.
   *
   * @param most how many slots, at most: those that have been free longest
   * @return false if the slab has to be left alone
   */
  boolean tryBeginSteal(int most) {
    // Where a full one is committed no slot is free, or who has freed it is on the way to the lock.
    if (purgeInFlight || state == SlabState.FULL) {
      return false;
    }
    links(); // What is put back needs them; nothing may fail from here on.
    beginSteal(most);
    return true;
  }

  /**
   * Takes the free slots, and those that others have freed. {@link #tryLeaveAll} or {@link
   * #unlinkTaken} must follow. With the heap's lock.
   *
   * @param most as in {@link #tryBeginSteal}; of fewer than all, what others have freed is left
   * @param taken gets their numbers; as long as there are slots
   * @return how many these are
   */
  int endStealAll(int most, char[] taken) {
    int count = endSteal(taken);
    if (most < ALL) {
      return count;
    }
    for (int number = takeRemote(); number != END; number = nextRemote(number)) {
      taken[count++] = (char) number;
    }
    return count;
  }

  /**
   * Leaves the taken slots free in the slab, if these are all there are: it is empty then, and the
   * caller's alone. Not of a current slab, nor of a full one, which its heap is about to be told
   * of. With the heap's lock.
   */
  boolean tryLeaveAll(char[] taken, int count) {
    if (count != committedSlotsOpaque() || state.isFull() || arrivalPending) {
      return false;
    }
    leaveAll(taken);
    return true;
  }

  /**
   * Does with the taken slots what {@link #unlinkFreePages} does with free ones. Those that lie on
   * pages with live ones are where other threads put theirs back. With the heap's lock.
   */
  @Nullable PageSet unlinkTaken(char[] taken, int count, int osPageBytes) {
    // What the owner puts back meanwhile has not been looked at.
    int lookedAtBytes = committedBytes() - (committedSlotsOpaque() - count) * slotBytes();
    PageSet free = null;
    try {
      free = pagesOfOnly(taken, 0, count, osPageBytes);
    } finally {
      if (free == null || free.isEmpty()) {
        putBackElsewhere(taken, takenLocally(), count);
        cancelSteal();
        barrenBytes = free == null ? 0 : lookedAtBytes;
        scatteredBytes = barrenBytes;
      }
    }
    if (free.isEmpty()) {
      return null;
    }
    int kept = dropTaken(taken, count, free, osPageBytes);
    putBackElsewhere(taken, 0, kept);
    barrenBytes = Math.max(0, lookedAtBytes - free.size() * osPageBytes);
    scatteredBytes = barrenBytes;
    endMove();
    purgeInFlight = true;
    return free;
  }

  /** Puts slots back as somebody who is not the heap. */
  private void putBackElsewhere(char[] numbers, int from, int to) {
    for (int i = from; i < to; i++) {
      Heap.freeRemotely(this, numbers[i]);
    }
  }

  /**
   * The pages that {@link #unlinkFreePages} returned have been purged, or could not be. Any thread.
   */
  void purgeEnded() {
    purgeInFlight = false;
  }

  /** {@link SlabLists} only. */
  void becomeCurrent() {
    become(SlabState.CURRENT);
    notifyNever();
    barrenBytes = 0;
    scatteredBytes = 0;
  }

  /**
   * Marks a slab without a free slot, so that its heap is notified of the next that is freed.
   *
   * @return false if remote threads have freed slots meanwhile: there are some, then
   */
  boolean tryMarkFull() {
    if (!arrivalPending && !tryMark()) {
      return false;
    }
    notifyAtFirstFree();
    return true;
  }

  /** Takes the mark away; if a push has replaced it, the slab's arrival is still under way. */
  void unmarkFull() {
    if (!arrivalPending && !tryUnmark()) {
      arrivalPending = true;
    }
  }

  /** The slab came out of its heap's arrivals. */
  void arrived() {
    arrivalPending = false;
  }

  /** Says that an arrival must be expected, before it is looked at. */
  void expectArrival() {
    arrivalPending = true;
  }

  /**
   * Evaluates the equations of the class comment. Only when no thread allocates or frees; what the
   * heap moves meanwhile, the purger's work too, is waited for, but not for ever.
   */
  void checkInvariants() {
    Patience patience = new Patience();
    while (true) {
      int before = movesBefore();
      String broken = brokenInvariant();
      if (isUnmovedSince(before) || patience.isOver()) {
        if (broken != null) {
          throw new AssertionError(broken);
        }
        return;
      }
      SpinLock.giveWay();
    }
  }

  private @Nullable String brokenInvariant() {
    String broken = brokenLocally();
    int live = live();
    int freedByOthers = remoteCount();
    return broken != null || live >= freedByOthers
        ? broken
        : "slab of %d B: %d live, %d freed by others".formatted(slotBytes(), live, freedByOthers);
  }
}
