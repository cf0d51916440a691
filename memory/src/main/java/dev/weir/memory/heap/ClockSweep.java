package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of a hand that a heap which grows sends through its slabs, to give back what lies free
 * in them without a use. With the heap's lock, but for {@link #haveMoved}.
 */
final class ClockSweep {
  /** So many rounds in which nothing was taken make a current slab idle. */
  private static final int IDLE_ROUNDS = 6;

  /**
   * How often the hand halves its pace, at most, while it finds every slab as it was. It is as fast
   * as before once it comes by one that is not.
   */
  private static final int MAX_QUIET_ROUNDS = 6;

  /**
   * A quiet round takes 24 MiB at most, or a 32nd of what is live: 8 ceilings. So of n slabs that
   * have changed, wherever they are among others, one is found in the course of an nth of that.
   */
  private static final long MAX_QUIET_STEP_BYTES = 48L << 20;

  private static final int MAX_QUIET_CEILINGS_SHIFT = 4;

  /**
   * The most slabs that are looked at on the way to one block: some ten microseconds, less than
   * writing a block takes that asks for so many.
   */
  private static final int MAX_VISITS = 256;

  /**
   * The most of them whose free pages are unlinked, which takes longer: a stripe's lock may be held
   * meanwhile.
   */
  static final int MAX_UNLINKED = 64;

  private final Heap heap;
  private final PageHeap pages;
  private final OwnedSlabs slabs;
  private final RecentUse demand = new RecentUse();

  /** What may lie free inside slabs without a use, when a step was last due. */
  private long ceilingBytes;

  /** The bytes that have become live since then, times twice the slabs. */
  private long owed;

  /** How many rounds there have been since one that found something to do, or to count anew. */
  private int quietRounds;

  /** Whether this round has counted anything anew. */
  private boolean stirred;

  /** How many steps the hand has made. */
  private int steps;

  /** Those of them that were not of a quiet round. */
  private int stirredSteps;

  /** What {@link #haveMoved} saw last. The surveying thread only. */
  private int seenSteps;

  ClockSweep(Heap heap, PageHeap pages, OwnedSlabs slabs) {
    this.heap = heap;
    this.pages = pages;
    this.slabs = slabs;
  }

  /** A class begins to use up so many bytes of free slots. */
  void use(int sizeClass, long bytes) {
    demand.use(sizeClass, bytes);
  }

  /** How many steps the hand has made. */
  int steps() {
    return steps;
  }

  /**
   * Whether the hand has moved since the last call, at its full pace. The surveying thread only,
   * without the lock: a step that it does not see yet is seen by the next call.
   */
  boolean haveMoved() {
    int now = stirredSteps;
    boolean moved = now != seenSteps;
    seenSteps = now;
    return moved;
  }

  /**
   * Looks through some slabs before pages become live, if the policy is eager or the last survey
   * has found too much: all of them in the course of half as many bytes as may lie free inside
   * slabs, as far as that is soon done, and more slowly where nothing changes. While more lies
   * free, it unlinks the free pages of those that it comes by, but for what their classes have use
   * for.
   */
  void unlinkBeforeGrowth(long bytes) {
    if (!pages.isLookedThroughBeforeGrowth()) {
      return;
    }
    int visits = (int) Math.min(stepsDue(bytes), MAX_VISITS);
    long hardCeilingBytes = pages.usefulInsideBytes();
    int unlinked = 0;
    for (int i = 0; i < visits && unlinked < MAX_UNLINKED; i++) {
      Slab slab = step();
      if (slab == null) {
        return;
      }
      int freeBytes = slab.countedFreeBytes;
      if (freeBytes > 0
          && slabs.countedFreeBytes() > ceilingBytes
          && (slabs.countedFreeBytes() > hardCeilingBytes || !hasUseFor(slab, freeBytes))) {
        heap.unlinks().unlinkForPurger(slab);
        count(slab);
        unlinked++;
      }
    }
  }

  /** How many steps are due as so many bytes become live. */
  private long stepsDue(long bytes) {
    owed += 2 * Math.min(bytes, ceilingBytes) * slabs.size();
    if (owed < bytesAStep()) {
      return 0;
    }
    ceilingBytes = pages.idleInsideBytes();
    long bytesAStep = bytesAStep();
    long due = owed / bytesAStep;
    owed -= due * bytesAStep;
    return due;
  }

  /** Of {@link #owed}: a round takes half as many bytes. */
  private long bytesAStep() {
    long mostBytes = Math.max(MAX_QUIET_STEP_BYTES, ceilingBytes << MAX_QUIET_CEILINGS_SHIFT);
    return Math.min(ceilingBytes << quietRounds, mostBytes);
  }

  /** Moves the hand to the next slab and counts what lies free in it; null if there is none. */
  private @Nullable Slab step() {
    if (slabs.isRoundComplete()) {
      boolean idle = !stirred && slabs.countedFreeBytes() <= ceilingBytes;
      quietRounds = idle ? Math.min(quietRounds + 1, MAX_QUIET_ROUNDS) : 0;
      stirred = false;
      demand.nextRound();
    }
    steps++;
    stirredSteps += quietRounds == 0 ? 1 : 0;
    Slab slab = slabs.next();
    if (slab != null) {
      count(slab);
    }
    return slab;
  }

  private void count(Slab slab) {
    if (slabs.count(slab, pages.pageBytes())) {
      stirred = true;
      quietRounds = 0;
    }
  }

  /** Whether what is free in a slab will probably be used soon. */
  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private boolean hasUseFor(Slab slab, int freeBytes) {
    return (heap.lists().isCurrent(slab) || slab == heap.lists().resting(slab.kind()))
        ? slab.idleRounds < IDLE_ROUNDS
        : demand.keeps(slab.kind(), freeBytes);
  }
}
