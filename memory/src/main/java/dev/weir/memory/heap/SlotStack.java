package dev.weir.memory.heap;

import dev.weir.memory.os.ProcessBarrier;
import dev.weir.memory.pages.Span;
import dev.weir.memory.pages.SpanSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stack of a slab's free slots, and what was left at each slot. Its heap pushes and pops; any
 * other thread that holds the heap's lock may steal what lies lowest.
 */
/*
 * The stack holds numbers, not references: taking and putting back a slot stores no reference, so no garbage collector's
 * store barrier is on the owner's path, and the next free slot is known without reading the last one.
 *
 * "The heap" is whoever may do anything with its slabs: the holder of a stripe's lock; the owner of an OwnedHeap, which
 * holds that heap's lock for all but what takes or puts back one slot: pop, peekCached, tryTakePeeked, push, setCached. So
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
abstract class SlotStack extends Span {
  private static final @Nullable Object[] NONE_CACHED = {};
  private static final char[] NO_NUMBERS = {};

  private static final int NEVER = Integer.MAX_VALUE;

  /** From {@link #pop}: no local slot is free. */
  static final int NONE_FREE = -1;

  private static final VarHandle BASE;
  private static final VarHandle FREE_LOCAL_COUNT;
  private static final VarHandle MOVES;
  private static final VarHandle NOTIFY_AT_COUNT;
  private static final VarHandle LOW_WATER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      BASE = lookup.findVarHandle(SlotStack.class, "base", int.class);
      FREE_LOCAL_COUNT = lookup.findVarHandle(SlotStack.class, "freeLocalCount", int.class);
      MOVES = lookup.findVarHandle(SlotStack.class, "moves", int.class);
      NOTIFY_AT_COUNT = lookup.findVarHandle(SlotStack.class, "notifyAtCount", int.class);
      LOW_WATER = lookup.findVarHandle(SlotStack.class, "lowWater", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** What was left at the slots, by number. Grows with the highest slot committed. */
  @Nullable Object[] cached = NONE_CACHED;

  /** The numbers of free slots, the one to take next last; as long as {@link #cached}. */
  char[] freeLocal = NO_NUMBERS;

  /** Where {@link #freeLocal} ends. */
  int freeLocalCount;

  /** Where it begins: what lies below was taken beside the owner. */
  int base;

  /**
   * The lowest that {@link #freeLocalCount} has been since {@link #beginInterval}: nobody has taken
   * what lies below. Written by the heap and the surveying thread; a lost write makes slots look
   * older or younger than they are.
   */
  int lowWater;

  /** {@link #base} as it was before somebody began to take. Under the heap's lock. */
  private int stealFrom;

  /**
   * The end of {@link #freeLocal} from which on a local free must tell the heap: that with one free
   * slot, or all. Nothing, where slots were taken beside the owner: the heap then sets it anew.
   */
  int notifyAtCount = NEVER;

  /** Begun and ended moves of free slots: odd during one. Written by the heap only. */
  private int moves;

  SlotStack(SpanSize size, int sizeClass, int usableBytes, int firstBytes) {
    super(size, sizeClass, usableBytes, firstBytes);
  }

  /**
   * Says that several counts are about to change though no slot comes into use or out of it: slots
   * are committed, dropped, or taken over from those that others freed. The heap only.
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

  /** How many slots are free. The heap only. */
  final int freeCount() {
    return freeLocalCount - base;
  }

  /** The same as another thread sees it. */
  final int freeCountOpaque() {
    int free = (int) FREE_LOCAL_COUNT.getOpaque(this) - (int) BASE.getOpaque(this);
    return Math.max(0, free);
  }

  /** Takes a free slot; {@link #NONE_FREE} if the local stack is empty. The heap only. */
  final int pop() {
    int count = freeLocalCount - 1;
    return count >= 0 && tryTake(count) ? freeLocal[count] : NONE_FREE;
  }

  /**
   * What was left at the slot that {@link #pop} would take; null if nothing. It may be gone: see
   * {@link #tryTakePeeked}. The heap only.
   */
  final @Nullable Object peekCached() {
    int count = freeLocalCount;
    return count > 0 ? cached[freeLocal[count - 1]] : null;
  }

  /**
   * Takes the slot whose object has just been looked at; false if it was taken beside the owner.
   * The heap only.
   */
  final boolean tryTakePeeked() {
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
  final @Nullable Object cached(int number) {
    return cached[number];
  }

  /** Leaves an object at a slot. The heap only. */
  final void setCached(int number, Object object) {
    cached[number] = object;
  }

  /** Forgets what was left at the slots, all of which are free. The heap only. */
  final void forgetCached() {
    Arrays.fill(cached, null);
  }

  /** Adds a slot that came back without {@link #push}. The heap, not beside the owner. */
  final void addFree(int number) {
    rebase();
    freeLocal[freeLocalCount++] = (char) number;
  }

  /** Lets the stack begin at 0 again: within a move. The heap, not beside the owner. */
  final void rebase() {
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

  final void setNotifyAt(int count) {
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
  final int lowest(int most) {
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

  /** Makes room for the numbers of so many slots, of {@code slots} at most. The heap only. */
  final void ensureCapacity(int length, int slots) {
    if (length > freeLocal.length) {
      int newLength = Math.min(slots, Math.max(length, freeLocal.length * 2));
      @Nullable Object[] longerCached = Arrays.copyOf(cached, newLength);
      freeLocal = Arrays.copyOf(freeLocal, newLength);
      cached = longerCached;
    }
  }

  /** So that the lowest of the slots committed together is taken first. */
  static void reverse(char[] numbers, int from, int to) {
    for (int low = from, high = to - 1; low < high; low++, high--) {
      char number = numbers[low];
      numbers[low] = numbers[high];
      numbers[high] = number;
    }
  }
}
