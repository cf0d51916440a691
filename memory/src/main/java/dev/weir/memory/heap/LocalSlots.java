package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.pages.SpanSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The half of a slab that is its heap's: which slots are committed, and the stack of those that are
 * free ({@link SlotStack}).
 *
 * <p>Slots are committed, lowest first, only where pages have been committed, and dropped again
 * where pages are purged inside a slab that is otherwise in use.
 */
abstract class LocalSlots extends SlotStack {
  /**
   * Pages are committed in steps of at least this, so that small slots do not call the page heap
   * for each page.
   */
  static final int COMMIT_STEP_BYTES = 8 * 1024;

  private static final VarHandle COMMITTED_SLOTS;

  static {
    try {
      COMMITTED_SLOTS =
          MethodHandles.lookup().findVarHandle(LocalSlots.class, "committedSlots", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int slotBytes;
  private final int slots;

  /** The slots that have an object: those on live pages, as far as they were ever needed. */
  private final BitSet committedSlotSet = new BitSet();

  private int committedSlots;
  private int lowestUncommitted;

  LocalSlots(SpanSize size, int sizeClass, int slotBytes, int slots) {
    super(size, sizeClass, slots * slotBytes, slotBytes);
    this.slotBytes = slotBytes;
    this.slots = slots;
  }

  /** None of its slots is in use, so that each that is committed is free. */
  @Override
  protected final boolean isReady() {
    return committedSlots > 0;
  }

  final int slotBytes() {
    return slotBytes;
  }

  /** How many there are when all are committed. */
  final int slots() {
    return slots;
  }

  /** Live slots as another thread sees them, those in the remote stack included. */
  final int liveOpaque() {
    int free = freeCountOpaque();
    return Math.max(0, (int) COMMITTED_SLOTS.getOpaque(this) - free);
  }

  /** Slots that have been committed, as another thread sees them. */
  final int committedSlotsOpaque() {
    return (int) COMMITTED_SLOTS.getOpaque(this);
  }

  /**
   * Live pages less live slots, as another thread sees them: what lies under free slots, under
   * slots not committed yet, and between the last slots and the ends of their pages.
   */
  final int idleBytes() {
    return committedBytes() - liveOpaque() * slotBytes;
  }

  /** The bytes of local free slots. The heap only. */
  final int freeBytes() {
    return freeCount() * slotBytes;
  }

  /** Committed slots that are not in the stack. The heap only. */
  final int live() {
    return committedSlots - freeCount();
  }

  final boolean areAllCommitted() {
    return committedSlots == slots;
  }

  /** A push tells the heap when nothing is live in the slab any more. The heap only. */
  final void notifyWhenEmpty() {
    setNotifyAt(base + committedSlots);
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
    lowestUncommitted = 0;
    notifyAtNext();
    return kept;
  }

  /**
   * Leaves everything in the stack, if all committed slots have been taken: nobody has another.
   * With the heap's lock; the slab is the caller's alone.
   *
   * @param taken the numbers of all committed slots
   */
  final void leaveAll(char[] taken) {
    base = 0;
    lowWater = 0;
    freeLocalCount = committedSlots;
    System.arraycopy(taken, 0, freeLocal, 0, committedSlots);
    endMove();
  }

  /**
   * Commits more slots, and pages for them; false if there is no more to commit or no room for the
   * pages.
   */
  final boolean commitMoreSlots(PageHeap pages) {
    if (committedSlots == slots) {
      return false;
    }
    int osPageBytes = pages.pageBytes();
    int number = committedSlotSet.nextClearBit(lowestUncommitted);
    int from = firstPage(number, osPageBytes);
    int to = endPage(number, osPageBytes);
    int stepEnd = Math.min(from + COMMIT_STEP_BYTES / osPageBytes, size().bytes() / osPageBytes);
    if (!committed().containsAll(from, to)
        && !(stepEnd > to && pages.commit(this, from, stepEnd))
        && !pages.commit(this, from, to)) {
      return false;
    }
    lowestUncommitted = commitSlotsFrom(number, osPageBytes);
    return true;
  }

  /** Makes the slots from {@code first} on whose pages are live; returns where it stopped. */
  private int commitSlotsFrom(int first, int osPageBytes) {
    int end = Math.min(slots, first + Math.max(1, COMMIT_STEP_BYTES / slotBytes));
    ensureCapacity(end, slots);
    int number = first;
    beginMove();
    rebase();
    int oldCount = freeLocalCount;
    try {
      while (number < end
          && committed()
              .containsAll(firstPage(number, osPageBytes), endPage(number, osPageBytes))) {
        committedSlotSet.set(number);
        committedSlots++;
        freeLocal[freeLocalCount++] = (char) number;
        number = committedSlotSet.nextClearBit(number + 1);
      }
    } finally {
      endMove();
    }
    reverse(freeLocal, oldCount, freeLocalCount);
    return number;
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

  /** The live pages on which no committed slot lies but these. With the heap's lock. */
  final PageSet pagesOfOnly(char[] numbers, int from, int to, int osPageBytes) {
    PageSet free = new PageSet(committed());
    BitSet liveSlots = (BitSet) committedSlotSet.clone();
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
    int committedBefore = committedSlots;
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
    lowestUncommitted = 0;
    if (notifyAtCount == committedBefore) {
      setNotifyAt(committedSlots);
    }
  }

  private boolean dropIfOn(PageSet free, char number, int osPageBytes) {
    if (free.countIn(firstPage(number, osPageBytes), endPage(number, osPageBytes)) == 0) {
      return false;
    }
    cached[number] = null;
    committedSlotSet.clear(number);
    committedSlots--;
    return true;
  }

  /** What does not hold between stack and committed slots; null if all does. */
  final @Nullable String brokenLocally() {
    BitSet free = new BitSet();
    for (int i = base; i < freeLocalCount; i++) {
      free.set(freeLocal[i]);
    }
    BitSet notCommitted = (BitSet) free.clone();
    notCommitted.andNot(committedSlotSet);
    int freeCount = freeCount();
    return free.cardinality() == freeCount
            && notCommitted.isEmpty()
            && committedSlotSet.cardinality() == committedSlots
        ? null
        : "slab of %d B: %d committed (%d marked), %d free (%d different), %d not committed"
            .formatted(
                slotBytes,
                committedSlots,
                committedSlotSet.cardinality(),
                freeCount,
                free.cardinality(),
                notCommitted.cardinality());
  }
}
