package dev.weir.memory.heap;

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
 * The half of a slab that its heap alone touches: which slots are carved, the stack of those that
 * are free, and what was left at each.
 *
 * <p>Slots are carved, lowest first, only where pages have been committed, and dropped again where
 * pages are purged inside a slab that is otherwise in use.
 */
/*
 * The stack holds numbers, not references: taking and putting back a slot stores no reference, so no garbage collector's
 * store barrier is on the owner's path, and the next free slot is known without reading the last one.
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

  private static final VarHandle FREE_LOCAL_COUNT;
  private static final VarHandle CARVED;
  private static final VarHandle MOVES;
  private static final VarHandle NOTICE_AT_FREE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FREE_LOCAL_COUNT = lookup.findVarHandle(LocalSlots.class, "freeLocalCount", int.class);
      CARVED = lookup.findVarHandle(LocalSlots.class, "carved", int.class);
      MOVES = lookup.findVarHandle(LocalSlots.class, "moves", int.class);
      NOTICE_AT_FREE = lookup.findVarHandle(LocalSlots.class, "noticeAtFree", int.class);
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

  /** How many numbers {@link #freeLocal} holds. */
  private int freeLocalCount;

  /**
   * The count of local free slots from which on a local free must tell the heap: one, or all.
   * Others set it to none for once, see {@link #noticeNext}.
   */
  private int noticeAtFree = NEVER;

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

  final int slotBytes() {
    return slotBytes;
  }

  /** Live slots as another thread sees them, those in the remote stack included. */
  final int liveOpaque() {
    return Math.max(0, (int) CARVED.getOpaque(this) - (int) FREE_LOCAL_COUNT.getOpaque(this));
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
    return freeLocalCount * slotBytes;
  }

  /** Carved slots that are not in the stack. The heap only. */
  final int live() {
    return carved - freeLocalCount;
  }

  final boolean fullyCarved() {
    return carved == slots;
  }

  /** Takes a free slot; {@link #NONE_FREE} if the local stack is empty. The heap only. */
  final int pop() {
    int count = freeLocalCount - 1;
    if (count < 0) {
      return NONE_FREE;
    }
    freeLocalCount = count;
    return freeLocal[count];
  }

  /** What was left at the slot that {@link #pop} would take; null if nothing. The heap only. */
  final @Nullable Object nextTenant() {
    int count = freeLocalCount;
    return count > 0 ? tenants[freeLocal[count - 1]] : null;
  }

  /** Takes the slot whose tenant has just been looked at. The heap only. */
  final void takeNext() {
    freeLocalCount--;
  }

  /** Puts a slot back; returns whether the heap must look at the slab. The heap only. */
  final boolean push(int number) {
    int count = freeLocalCount;
    freeLocal[count] = (char) number;
    freeLocalCount = count + 1;
    return count + 1 >= noticeAtFree;
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

  /** Adds a slot that came back without {@link #push}. The heap only. */
  final void addFree(int number) {
    freeLocal[freeLocalCount++] = (char) number;
  }

  /** A push tells the heap when nothing is live in the slab any more. The heap only. */
  final void noticeWhenEmpty() {
    noticeAtFree = carved;
  }

  /** A push tells the heap that there is a free slot again. The heap only. */
  final void noticeFirstFree() {
    noticeAtFree = 1;
  }

  /** A push tells nothing. The heap only. */
  final void noticeNothing() {
    noticeAtFree = NEVER;
  }

  /**
   * The next push tells the heap, unless the heap says otherwise at this moment. Any thread; the
   * heap then says anew of what it is to be told.
   */
  final void noticeNext() {
    NOTICE_AT_FREE.setOpaque(this, 0);
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
    int oldCount = freeLocalCount;
    int number = first;
    beginMove();
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

  /** The live pages on which no live slot lies. The heap only. */
  final PageSet freePages(int osPageBytes) {
    PageSet free = new PageSet(committed());
    BitSet liveSlots = (BitSet) carvedSlots.clone();
    for (int i = 0; i < freeLocalCount; i++) {
      liveSlots.clear(freeLocal[i]);
    }
    for (int number = liveSlots.nextSetBit(0);
        number >= 0;
        number = liveSlots.nextSetBit(number + 1)) {
      free.remove(firstPage(number, osPageBytes), endPage(number, osPageBytes));
    }
    return free;
  }

  /**
   * Forgets the slots that lie on some of these pages, and what was left at them. The heap only.
   */
  final void dropFreeSlotsOn(PageSet free, int osPageBytes) {
    int carvedBefore = carved;
    int kept = 0;
    beginMove();
    for (int i = 0; i < freeLocalCount; i++) {
      char number = freeLocal[i];
      if (free.countIn(firstPage(number, osPageBytes), endPage(number, osPageBytes)) > 0) {
        tenants[number] = null;
        carvedSlots.clear(number);
        carved--;
      } else {
        freeLocal[kept++] = number;
      }
    }
    freeLocalCount = kept;
    endMove();
    lowestUncarved = 0;
    if (noticeAtFree == carvedBefore) {
      noticeAtFree = carved;
    }
  }

  /** Evaluates what must hold between stack and carved slots. Only when no thread uses the slab. */
  final void checkLocalInvariants() {
    BitSet free = new BitSet();
    for (int i = 0; i < freeLocalCount; i++) {
      free.set(freeLocal[i]);
    }
    BitSet notCarved = (BitSet) free.clone();
    notCarved.andNot(carvedSlots);
    if (free.cardinality() != freeLocalCount
        || !notCarved.isEmpty()
        || carvedSlots.cardinality() != carved) {
      throw new AssertionError(
          "slab of %d B: %d carved (%d marked), %d free (%d different), %d not carved"
              .formatted(
                  slotBytes,
                  carved,
                  carvedSlots.cardinality(),
                  freeLocalCount,
                  free.cardinality(),
                  notCarved.cardinality()));
    }
  }
}
