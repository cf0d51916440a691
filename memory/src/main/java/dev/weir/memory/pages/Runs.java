package dev.weir.memory.pages;

import dev.weir.memory.sync.SpinLock;
import dev.weir.memory.sync.StackRoom;

/**
 * The runs of a page heap: blocks of whole pages that keep their length, at the lowest address
 * where they fit. Who takes or frees one where too much is dirty purges as much, or a few times
 * that ({@link DirtyPurges#purgeForOthers}). Thread-safe: takes the page heap's lock for each step,
 * and makes the system calls without it.
 */
public final class Runs {
  /** What allocations return when the limit (or the address space) leaves no room. */
  public static final long FULL = -1;

  private final SpinLock lock;
  private final PageState state;
  private final ResidentLedger ledger;
  private final DirtyPurges dirtyPurges;
  private final PageHeapEvents events;

  /** Of the pages in {@code state}, which {@code lock} guards, as it does the ledger. */
  Runs(
      SpinLock lock,
      PageState state,
      ResidentLedger ledger,
      DirtyPurges dirtyPurges,
      PageHeapEvents events) {
    this.lock = lock;
    this.state = state;
    this.ledger = ledger;
    this.dirtyPurges = dirtyPurges;
    this.events = events;
  }

  /**
   * Takes a run at the lowest address where it fits.
   *
   * @param bytes a positive number of whole pages
   * @return its address, or {@link #FULL}
   */
  public long allocate(long bytes) {
    return allocate(bytes, /* promised= */ false);
  }

  /**
   * Takes a run out of what was promised before.
   *
   * @param bytes whole pages, not more than what is left of the caller's promise
   * @return its address, or {@link #FULL} if no free run of addresses is long enough
   */
  public long allocatePromised(long bytes) {
    return allocate(bytes, /* promised= */ true);
  }

  private long allocate(long bytes, boolean promised) {
    StackRoom.requireForAwaited(); // As all who claim (DirtyPurges).
    long address;
    boolean surveyDue;
    boolean bandLeft;
    boolean overflowing;
    while (true) {
      PurgeBatch batch = null;
      lock.lock();
      try {
        if (!promised && !ledger.admits(bytes, Lane.LARGE)) {
          return FULL;
        }
        long start = state.firstFit(bytes);
        if (start != RunRegion.NONE) {
          long excess = state.excessForRun(start, bytes, promised);
          if (excess <= 0 || ledger.dirtyBytes() == 0) {
            address = state.takeRun(start, bytes);
            if (promised) {
              ledger.keepPromise(bytes);
            }
            surveyDue = state.isSurveyDue();
            bandLeft = ledger.leaveBand();
            overflowing = state.dirtyLimits().areOverflowing();
            break;
          }
          batch = state.claims().claimDirty(excess);
        } else if (!state.hasClaimedRuns()) {
          return FULL;
        }
      } finally {
        lock.unlock();
      }
      dirtyPurges.settleOrGiveWay(batch);
    }
    events.grown(surveyDue, bandLeft);
    if (overflowing) {
      purgeFor(bytes);
    }
    return address;
  }

  /**
   * Gives a run back.
   *
   * @param lane of the promise that it was allocated from, {@link Lane#LARGE} if there is none
   */
  public void free(long address, long bytes, Lane lane) {
    if (freeAtOnce(address, bytes, lane)) {
      purgeFor(bytes);
    }
  }

  /**
   * As {@link #free}, but gives nothing back to the system: for those who hold a lock.
   *
   * @return whether {@link #purgeFor} is due for these bytes, once they hold none
   */
  public boolean freeAtOnce(long address, long bytes, Lane lane) {
    boolean dirtyHigh;
    boolean overflowing;
    lock.lock();
    try {
      state.freeRun(address, bytes);
      ledger.freed(bytes, lane);
      dirtyHigh = state.dirtyLimits().isHigh();
      overflowing = dirtyHigh && state.dirtyLimits().wereOverflownBy(bytes);
      dirtyHigh &= !(overflowing && state.dirtyLimits().arePurgesQuick());
    } finally {
      lock.unlock();
    }
    events.freed(dirtyHigh);
    return overflowing;
  }

  /**
   * Purges as many dirty bytes, or a few times that, where more of them than may stay still are,
   * and calls the purger for the rest: nobody has called it for what is taken, nor where purges are
   * quick. Not under a lock.
   */
  public void purgeFor(long bytes) {
    StackRoom.requireForAwaited();
    if (!dirtyPurges.purgeForOthers(bytes)) {
      events.dirtyHigh();
    }
  }

  /**
   * Gives back a run that nobody has used: what was promised for it is promised again.
   *
   * @param lane of the promise that it was taken out of, {@link Lane#LARGE} if there is none
   */
  public void undo(long address, long bytes, Lane lane) {
    if (!lane.isPromise()) {
      free(address, bytes, lane);
      return;
    }
    boolean dirtyHigh;
    lock.lock();
    try {
      state.freeRun(address, bytes);
      ledger.keepPromise(-bytes);
      dirtyHigh = state.dirtyLimits().isHigh();
    } finally {
      lock.unlock();
    }
    if (dirtyHigh) {
      events.dirtyHigh();
    }
  }
}
