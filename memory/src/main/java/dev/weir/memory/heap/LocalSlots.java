package dev.weir.memory.heap;

import dev.weir.memory.os.ProcessBarrier;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.pages.Span;
import dev.weir.memory.pages.SpanSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The half of a slab that is its heap's: which slots are carved, the stack of those that are free,
 * and what was left at each.
 *
 * <p>Slots are carved, lowest first, only where pages have been committed, and dropped again where
 * pages are purged inside a slab that is otherwise in use.
 */
/*
 * The stack holds numbers, not references: taking and putting back a slot stores no reference, so no garbage collector's
 * store barrier is on the owner's path, and the next free slot is known without reading the last one.
 *
 * "The heap" is whoever may do anything with its slabs: the holder of a stripe's lock; the owner of an OwnedHeap, which
 * holds that heap's lock for all but what takes or puts back one slot: pop, nextTenant, tryTakeNext, push, setTenant. So
 * another thread that holds an owner's lock ("beside the owner") meets it in the stack alone. It takes what lies in the
 * stack as a thief takes from the other end of a work-stealing queue (D. Chase, Y. Lev, "Dynamic Circular Work-Stealing
 * Deque", SPAA 2005), all of it at once, and with the barrier on the rare side:
 *
 *   owner:   count := count - 1;  light barrier;  base > count?  it is gone: count := count + 1, and ask for the lock
 *   beside:  base := count;       heavy barrier;  what lies below both counts is taken, and base stays at its end
 *
 * What the owner has looked at lies where it lay as long as it is in the stack: `base` is lowered only to what had not
 * been taken, or by the owner itself (rebase), and what was taken comes back another way (RemoteSlots). While somebody
 * takes, the owner may put back slots below `base`; they stay below both counts, or above the end.
 */
abstract class LocalSlots extends Span {
  private static final @Nullable Object[] NO_TENANTS = {};
  private static final char[] NO_NUMBERS = {};

  /**
   * Pages are committed in steps of at least this, so that small slots do not call the page heap
   * for each page.
   */
  static final int COMMIT_STEP_BYTES = 8 * 1024;

  private static final int NEVER = Integer.MAX_VALUE;

  /** From {@link #pop}: no local slot is free. */
  static final int NONE_FREE = -1;

  private static final VarHandle BASE;
  private static final VarHandle FREE_LOCAL_COUNT;
  private static final VarHandle CARVED;
  private static final VarHandle MOVES;
  private static final VarHandle NOTIFY_AT_COUNT;
  private static final VarHandle LOW_WATER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      BASE = lookup.findVarHandle(LocalSlots.class, "base", int.class);
      FREE_LOCAL_COUNT = lookup.findVarHandle(LocalSlots.class, "freeLocalCount", int.class);
      CARVED = lookup.findVarHandle(LocalSlots.class, "carved", int.class);
      MOVES = lookup.findVarHandle(LocalSlots.class, "moves", int.class);
      NOTIFY_AT_COUNT = lookup.findVarHandle(LocalSlots.class, "notifyAtCount", int.class);
      LOW_WATER = lookup.findVarHandle(LocalSlots.class, "lowWater", int.class);
      // Made ready here, not by an owner whom others wait for.
      ProcessBarrier.light();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int slotBytes;
  private final int slots;

  /** What was left at the slots, by number. Grows with the highest slot carved. */
  private @Nullable Object[] tenants = NO_TENANTS;

  /** The numbers of free slots, the one to take next last; as long as {@link #tenants}. */
  private char[] freeLocal = NO_NUMBERS;

  /** Where {@link #freeLocal} ends. */
  private int freeLocalCount;

  /** Where it begins: what lies below was taken beside the owner. */
  private int base;

  /**
   * The lowest that {@link #freeLocalCount} has been since {@link #beginInterval}: nobody has taken
   * what lies below. Written by the heap and the surveying thread; a lost write makes slots look
   * older or younger than they are.
   */
  private int lowWater;

  /** {@link #base} as it was before somebody began to take. Under the heap's lock. */
  private int stealFrom;

  /**
   * The end of {@link #freeLocal} from which on a local free must tell the heap: that with one free
   * slot, or all. Nothing, where slots were taken beside the owner: the heap then sets it anew.
   */
  private int notifyAtCount = NEVER;

  /** The slots that have an object: those on live pages, as far as they were ever needed. */
  private final BitSet carvedSlots = new BitSet();

  private int carved;
  private int lowestUncarved;

  /** Begun and ended moves of free slots: odd during one. Written by the heap only. */
  private int moves;

  LocalSlots(SpanSize size, int sizeClass, int slotBytes, int slots) {
    super(size, sizeClass, slots * slotBytes, slotBytes);
    this.slotBytes = slotBytes;
    this.slots = slots;
  }

  /** None of its slots is in use, so that each that is carved is free. */
  @Override
  protected final boolean isReady() {
    return carved > 0;
  }

  final int slotBytes() {
    return slotBytes;
  }

  /** How many there are when all are carved. */
  final int slots() {
    return slots;
  }

  /** Live slots as another thread sees them, those in the remote stack included. */
  final int liveOpaque() {
    int free = (int) FREE_LOCAL_COUNT.getOpaque(this) - (int) BASE.getOpaque(this);
    return Math.max(0, (int) CARVED.getOpaque(this) - Math.max(0, free));
  }

  /** Slots that have been carved, as another thread sees them. */
  final int carvedOpaque() {
    return (int) CARVED.getOpaque(this);
  }

  /**
   * Says that several counts are about to change though no slot comes into use or out of it: slots
   * are carved, dropped, or taken over from those that others freed. The heap only.
   */
  final void beginMove() {
    MOVES.setOpaque(this, moves + 1);
    VarHandle.storeStoreFence();
  }

  /** The counts belong together again. The heap only. */
  final void endMove() {
    MOVES.setRelease(this, moves + 1);
  }

  /** What {@link #isUnmovedSince} wants to know, before counts are read. Any thread. */
  final int movesBefore() {
    return (int) MOVES.getAcquire(this);
  }

  /** Whether the counts read since then belong together. Any thread. */
  final boolean isUnmovedSince(int movesBefore) {
    VarHandle.loadLoadFence();
    return (movesBefore & 1) == 0 && (int) MOVES.getOpaque(this) == movesBefore;
  }

  /**
   * Live pages less live slots, as another thread sees them: what lies under free slots, under
   * slots not carved yet, and between the last slots and the ends of their pages.
   */
  final int idleBytes() {
    return committedBytes() - liveOpaque() * slotBytes;
  }

  /** The bytes of local free slots. The heap only. */
  final int freeBytes() {
    return (freeLocalCount - base) * slotBytes;
  }

  /** Carved slots that are not in the stack. The heap only. */
  final int live() {
    return carved - (freeLocalCount - base);
  }

  final boolean fullyCarved() {
    return carved == slots;
  }

  /** Takes a free slot; {@link #NONE_FREE} if the local stack is empty. The heap only. */
  final int pop() {
    int count = freeLocalCount - 1;
    return count >= 0 && tryTake(count) ? freeLocal[count] : NONE_FREE;
  }

  /**
   * What was left at the slot that {@link #pop} would take; null if nothing. It may be gone: see
   * {@link #tryTakeNext}. The heap only.
   */
  final @Nullable Object nextTenant() {
    int count = freeLocalCount;
    return count > 0 ? tenants[freeLocal[count - 1]] : null;
  }

  /**
   * Takes the slot whose tenant has just been looked at; false if it was taken beside the owner.
   * The heap only.
   */
  final boolean tryTakeNext() {
    return tryTake(freeLocalCount - 1);
  }

  private boolean tryTake(int count) {
    freeLocalCount = count;
    ProcessBarrier.light();
    // The compilers leave the store before this read, as if it were opaque: that would cost more.
    if ((int) BASE.getOpaque(this) <= count) {
      if (count < (int) LOW_WATER.getOpaque(this)) {
        LOW_WATER.setOpaque(this, count);
      }
      return true;
    }
    freeLocalCount = count + 1;
    return false;
  }

  /** Puts a slot back; returns whether the heap must look at the slab. The heap only. */
  final boolean push(int number) {
    int count = freeLocalCount;
    freeLocal[count] = (char) number;
    FREE_LOCAL_COUNT.setRelease(this, count + 1);
    return count + 1 >= notifyAtCount;
  }

  /** What was left at a slot. The heap only. */
  final @Nullable Object tenant(int number) {
    return tenants[number];
  }

  /** Leaves an object at a slot. The heap only. */
  final void setTenant(int number, Object tenant) {
    tenants[number] = tenant;
  }

  /** Forgets what was left at the slots, all of which are free. The heap only. */
  final void forgetTenants() {
    Arrays.fill(tenants, null);
  }

  /** Adds a slot that came back without {@link #push}. The heap, not beside the owner. */
  final void addFree(int number) {
    rebase();
    freeLocal[freeLocalCount++] = (char) number;
  }

  /** Lets the stack begin at 0 again: within a move. The heap, not beside the owner. */
  private void rebase() {
    if (base > 0) {
      int count = freeLocalCount - base;
      System.arraycopy(freeLocal, base, freeLocal, 0, count);
      notifyAtCount = notifyAtCount == NEVER ? NEVER : Math.max(0, notifyAtCount - base);
      freeLocalCount = count;
      lowWater = Math.max(0, lowWater - base);
      base = 0;
    }
  }

  /** Free slots that nobody has taken since {@link #beginInterval}, as another thread sees them. */
  final int idleSlots() {
    int end = Math.min((int) LOW_WATER.getOpaque(this), (int) FREE_LOCAL_COUNT.getOpaque(this));
    return Math.max(0, end - (int) BASE.getOpaque(this));
  }

  /** The end of the {@link #idleSlots}: while it stays, no slot has been taken. Any thread. */
  final int lowWater() {
    return (int) LOW_WATER.getOpaque(this);
  }

  /** What is free now counts as idle until it is taken. The surveying thread only. */
  final void beginInterval() {
    LOW_WATER.setOpaque(this, (int) FREE_LOCAL_COUNT.getOpaque(this));
  }

  /** A push tells the heap when nothing is live in the slab any more. The heap only. */
  final void notifyWhenEmpty() {
    setNotifyAt(base + carved);
  }

  /** A push tells the heap that there is a free slot again. The heap only. */
  final void notifyAtFirstFree() {
    setNotifyAt(base + 1);
  }

  /** A push tells nothing. The heap only. */
  final void notifyNever() {
    setNotifyAt(NEVER);
  }

  /**
   * The next push tells the heap, which says anew of what it is to be told, unless it is told of
   * nothing. With the heap's lock.
   *
   * @return whether it would not have told already
   */
  final boolean notifyAtNext() {
    boolean isNew = notifyAtCount != NEVER && notifyAtCount != 0;
    if (isNew) {
      setNotifyAt(0);
    }
    return isNew;
  }

  private void setNotifyAt(int count) {
    NOTIFY_AT_COUNT.setOpaque(this, count);
  }

  /**
   * Begins to take what lies lowest in the stack, beside the owner: behind a {@linkplain
   * ProcessBarrier#heavy heavy barrier} the owner takes none of it any more. {@link #endSteal} or
   * {@link #cancelSteal} must follow. With the heap's lock.
   *
   * @param most how many slots, at most
   */
  final void beginSteal(int most) {
    stealFrom = base;
    beginMove();
    BASE.setOpaque(this, base + lowest(most));
  }

  /** How many of the free slots are so many, as somebody beside the owner sees them. */
  private int lowest(int most) {
    return Math.clamp((long) (int) FREE_LOCAL_COUNT.getOpaque(this) - base, 0, most);
  }

  /**
   * Takes what lay in the stack, but for what the owner was faster with. Behind the barrier.
   *
   * @param taken gets the numbers, from its beginning on
   * @return how many these are
   */
  final int endSteal(char[] taken) {
    int end = Math.clamp((int) FREE_LOCAL_COUNT.getAcquire(this), stealFrom, base);
    BASE.setOpaque(this, end);
    System.arraycopy(freeLocal, stealFrom, taken, 0, end - stealFrom);
    return end - stealFrom;
  }

  /** How many {@link #endSteal} has returned. With the heap's lock. */
  final int takenLocally() {
    return base - stealFrom;
  }

  /** Leaves what lay in the stack to the owner again. With the heap's lock. */
  final void cancelSteal() {
    BASE.setOpaque(this, stealFrom);
    endMove();
  }

  /**
   * Forgets those of the taken slots that lie on some of these pages, and what was left at them.
   * The others are the caller's, first among {@code taken}, until it has put them back as one that
   * is not the heap, and called {@link #endMove}. With the heap's lock.
   *
   * @return how many these are
   */
  final int dropTaken(char[] taken, int count, PageSet free, int osPageBytes) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (!dropIfOn(free, taken[i], osPageBytes)) {
        taken[kept++] = taken[i];
      }
    }
    lowestUncarved = 0;
    notifyAtNext();
    return kept;
  }

  /**
   * Leaves everything in the stack, if all carved slots have been taken: nobody has another. With
   * the heap's lock; the slab is the caller's alone.
   *
   * @param taken the numbers of all carved slots
   */
  final void leaveAll(char[] taken) {
    base = 0;
    lowWater = 0;
    freeLocalCount = carved;
    System.arraycopy(taken, 0, freeLocal, 0, carved);
    endMove();
  }

  /**
   * Carves more slots, committing pages for them; false if there is no more to carve or no room for
   * the pages.
   */
  final boolean carveMore(PageHeap pages) {
    if (carved == slots) {
      return false;
    }
    int osPageBytes = pages.pageBytes();
    int number = carvedSlots.nextClearBit(lowestUncarved);
    int from = firstPage(number, osPageBytes);
    int to = endPage(number, osPageBytes);
    int stepEnd = Math.min(from + COMMIT_STEP_BYTES / osPageBytes, size().bytes() / osPageBytes);
    if (!committed().containsAll(from, to)
        && !(stepEnd > to && pages.commit(this, from, stepEnd))
        && !pages.commit(this, from, to)) {
      return false;
    }
    lowestUncarved = carveFrom(number, osPageBytes);
    return true;
  }

  /** Makes the slots from {@code first} on whose pages are live; returns where it stopped. */
  private int carveFrom(int first, int osPageBytes) {
    int end = Math.min(slots, first + Math.max(1, COMMIT_STEP_BYTES / slotBytes));
    ensureCapacity(end);
    int number = first;
    beginMove();
    rebase();
    int oldCount = freeLocalCount;
    try {
      while (number < end
          && committed()
              .containsAll(firstPage(number, osPageBytes), endPage(number, osPageBytes))) {
        carvedSlots.set(number);
        carved++;
        freeLocal[freeLocalCount++] = (char) number;
        number = carvedSlots.nextClearBit(number + 1);
      }
    } finally {
      endMove();
    }
    reverse(freeLocal, oldCount, freeLocalCount);
    return number;
  }

  private void ensureCapacity(int length) {
    if (length > freeLocal.length) {
      int newLength = Math.min(slots, Math.max(length, freeLocal.length * 2));
      @Nullable Object[] longerTenants = Arrays.copyOf(tenants, newLength);
      freeLocal = Arrays.copyOf(freeLocal, newLength);
      tenants = longerTenants;
    }
  }

  /** So that the lowest of the slots carved together is taken first. */
  private static void reverse(char[] numbers, int from, int to) {
    for (int low = from, high = to - 1; low < high; low++, high--) {
      char number = numbers[low];
      numbers[low] = numbers[high];
      numbers[high] = number;
    }
  }

  private int firstPage(int number, int osPageBytes) {
    return number * slotBytes / osPageBytes;
  }

  private int endPage(int number, int osPageBytes) {
    return ((number + 1) * slotBytes - 1) / osPageBytes + 1;
  }

  /**
   * The live pages on which no slot lies but the lowest in the stack. With the heap's lock; beside
   * the owner a guess.
   *
   * @param most how many slots, at most
   */
  final PageSet freePages(int most, int osPageBytes) {
    return pagesOfOnly(freeLocal, base, base + lowest(most), osPageBytes);
  }

  /** The live pages on which no carved slot lies but these. With the heap's lock. */
  final PageSet pagesOfOnly(char[] numbers, int from, int to, int osPageBytes) {
    PageSet free = new PageSet(committed());
    BitSet liveSlots = (BitSet) carvedSlots.clone();
    for (int i = from; i < to; i++) {
      liveSlots.clear(numbers[i]);
    }
    for (int number = liveSlots.nextSetBit(0);
        number >= 0;
        number = liveSlots.nextSetBit(number + 1)) {
      free.remove(firstPage(number, osPageBytes), endPage(number, osPageBytes));
    }
    return free;
  }

  /**
   * Forgets the slots that lie on some of these pages, and what was left at them. The heap, not
   * beside the owner.
   */
  final void dropFreeSlotsOn(PageSet free, int osPageBytes) {
    int carvedBefore = carved;
    int kept = 0;
    int keptIdle = 0;
    beginMove();
    rebase();
    for (int i = 0; i < freeLocalCount; i++) {
      char number = freeLocal[i];
      if (!dropIfOn(free, number, osPageBytes)) {
        freeLocal[kept++] = number;
        keptIdle += i < lowWater ? 1 : 0;
      }
    }
    freeLocalCount = kept;
    lowWater = keptIdle;
    endMove();
    lowestUncarved = 0;
    if (notifyAtCount == carvedBefore) {
      setNotifyAt(carved);
    }
  }

  private boolean dropIfOn(PageSet free, char number, int osPageBytes) {
    if (free.countIn(firstPage(number, osPageBytes), endPage(number, osPageBytes)) == 0) {
      return false;
    }
    tenants[number] = null;
    carvedSlots.clear(number);
    carved--;
    return true;
  }

  /** What does not hold between stack and carved slots; null if all does. */
  final @Nullable String brokenLocally() {
    BitSet free = new BitSet();
    for (int i = base; i < freeLocalCount; i++) {
      free.set(freeLocal[i]);
    }
    BitSet notCarved = (BitSet) free.clone();
    notCarved.andNot(carvedSlots);
    int freeCount = freeLocalCount - base;
    return free.cardinality() == freeCount
            && notCarved.isEmpty()
            && carvedSlots.cardinality() == carved
        ? null
        : "slab of %d B: %d carved (%d marked), %d free (%d different), %d not carved"
            .formatted(
                slotBytes,
                carved,
                carvedSlots.cardinality(),
                freeCount,
                free.cardinality(),
                notCarved.cardinality());
  }
}
