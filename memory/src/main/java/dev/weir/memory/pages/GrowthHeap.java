package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.sync.SpinLock;
import dev.weir.memory.sync.StackRoom;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that grow without being copied: each begins a {@link GrowthRange}, takes more of its
 * pages, and where it has become longer than the range its pages move to a longer one.
 *
 * <p>Thread-safe; a range whose block is live is used by one thread at a time. Lengths are in
 * bytes, in whole pages of the page heap.
 */
/*
 * A move. Under the lock, the target is taken and the pages that the block grows by become live there; without the
 * lock, the system moves the pages, or copies them; under the lock again, the target takes over what was moved, and
 * the source is free. Both ranges are busy meanwhile: nobody purges in them. Where the pages are copied, the source
 * is still live: so the limit must have room for both.
 */
public final class GrowthHeap {
  private final NativeMemory os;
  private final SpinLock lock;
  private final PageState state;
  private final GrowthRegion region;
  private final GrowthMove move;
  private final ResidentLedger ledger;
  private final DirtyPurges purges;
  private final PageHeapEvents events;

  GrowthHeap(
      NativeMemory os,
      SpinLock lock,
      PageState state,
      ResidentLedger ledger,
      DirtyPurges purges,
      PageHeapEvents events) {
    this.os = os;
    this.lock = lock;
    this.state = state;
    this.region = state.growth();
    this.move = new GrowthMove(os, region);
    this.ledger = ledger;
    this.purges = purges;
    this.events = events;
  }

  /**
   * Begins a block; null if the limit has no room, or no range is free.
   *
   * @param lane of the promise that covers it, {@link Lane#LARGE} if there is none; here and below
   */
  public @Nullable GrowthRange tryOpen(long bytes, Lane lane) {
    StackRoom.requireForAwaited();
    GrowthRange range = takeRange(bytes, null, lane);
    if (range != null) {
      tellOfGrowth();
    }
    return range;
  }

  /**
   * Takes a range and makes its pages live, from those on that {@code from} keeps for it; both are
   * busy then.
   */
  private @Nullable GrowthRange takeRange(long bytes, @Nullable GrowthRange from, Lane lane) {
    long keptBytes = from == null ? 0 : from.liveBytes;
    while (true) {
      PurgeBatch batch = null;
      lock.lock();
      try {
        if (!admits(bytes - keptBytes, lane)) {
          return null;
        }
        GrowthRange range = region.candidate(bytes);
        if (range == null && !region.hasBusyRanges()) {
          return null;
        }
        if (range != null && (from == null || !from.busy)) {
          long excess = excess(cleanBytes(range, keptBytes, bytes), lane);
          if (excess <= 0) {
            region.take(range);
            if (from == null) {
              makeLive(range, bytes);
            } else {
              countLive(range, keptBytes, bytes);
              region.setBusy(from);
              region.setBusy(range);
            }
            pay(range, bytes - keptBytes, lane);
            return range;
          }
          batch = state.claims().claimDirty(excess);
        }
      } finally {
        lock.unlock();
      }
      purges.settleOrGiveWay(batch);
    }
  }

  /**
   * Lengthens a block in its range.
   *
   * @param bytes more than it has now, at most the range's length
   * @return whether the limit had room
   */
  public boolean tryExtend(GrowthRange range, long bytes, Lane lane) {
    StackRoom.requireForAwaited();
    while (true) {
      PurgeBatch batch = null;
      lock.lock();
      try {
        if (!admits(bytes - range.liveBytes, lane)) {
          return false;
        }
        if (!range.busy) {
          long excess = excess(cleanBytes(range, range.liveBytes, bytes), lane);
          if (excess <= 0) {
            pay(range, bytes - range.liveBytes, lane);
            makeLive(range, bytes);
            break;
          }
          batch = state.claims().claimDirty(excess);
        }
      } finally {
        lock.unlock();
      }
      purges.settleOrGiveWay(batch);
    }
    tellOfGrowth();
    return true;
  }

  /** Ends a block. */
  public void close(GrowthRange range) {
    close(range, Lane.LARGE);
  }

  /** Ends a block that has not been used: what was promised for it is promised again. */
  public void undoOpen(GrowthRange range, Lane lane) {
    close(range, lane);
  }

  private void close(GrowthRange range, Lane promisedAgain) {
    boolean dirtyHigh;
    lock.lock();
    try {
      pay(range, -range.liveBytes, promisedAgain);
      free(range);
      dirtyHigh = state.dirtyLimits().isHigh();
    } finally {
      lock.unlock();
    }
    events.freed(dirtyHigh);
  }

  /**
   * Lengthens a block beyond its range.
   *
   * @param bytes more than the range's length
   * @return where it is now; null if the limit has no room, or no range of that length is free, and
   *     nothing has changed
   */
  public @Nullable GrowthRange tryMove(GrowthRange from, long bytes, Lane lane) {
    StackRoom.requireForAwaited(); // All would wait for ranges that stay busy.
    GrowthRange to = takeRange(bytes, from, lane);
    if (to == null) {
      return null;
    }
    boolean admitted = false;
    boolean done = false;
    try {
      if (move.tryMove(from, to)) {
        finishMove(from, to, bytes);
        done = true;
      } else if (tryAdmitCopy(to, from.liveBytes)) {
        admitted = true;
        os.copy(from.address(), to.address(), from.liveBytes);
        finishCopy(from, to, bytes);
        done = true;
      }
    } finally {
      if (!done) {
        if (admitted) {
          undoCopy(to, from.liveBytes);
        }
        undo(from, to, bytes, lane);
      }
    }
    tellOfGrowth();
    events.roomFreed();
    return done ? to : null;
  }

  /**
   * Whether a block has addresses to become so long: in its range, or in a longer one that is free
   * now. Where it has none, no memory that others release helps it.
   */
  public boolean hasAddresses(GrowthRange range, long bytes) {
    if (bytes <= range.rangeBytes()) {
      return true;
    }
    lock.lock();
    try {
      return region.hasFree(bytes);
    } finally {
      lock.unlock();
    }
  }

  private void finishMove(GrowthRange from, GrowthRange to, long bytes) {
    lock.lock();
    try {
      long keptBytes = from.liveBytes;
      long countedDirty = from.dirtyBytes() + to.residentBytes - dirtyBytes(to, keptBytes, bytes);
      long resident = Math.max(bytes, Math.max(from.residentBytes, to.residentBytes));
      region.set(from, 0, 0);
      region.set(to, bytes, resident);
      // What was resident in the target where the pages have moved is gone.
      ledger.purged(countedDirty - to.dirtyBytes());
      handOnPayment(from, to);
      region.giveBack(from);
      endBusy(from, to);
    } finally {
      lock.unlock();
    }
  }

  /** Counts the beginning of the target as live too; false if the limit has no room for both. */
  private boolean tryAdmitCopy(GrowthRange to, long keptBytes) {
    while (true) {
      PurgeBatch batch;
      lock.lock();
      try {
        if (!ledger.admits(keptBytes, Lane.LARGE)) {
          return false;
        }
        long excess = ledger.excess(cleanBytes(to, 0, keptBytes));
        if (excess <= 0) {
          countLive(to, 0, keptBytes);
          return true;
        }
        batch = state.claims().claimDirty(excess);
        if (batch == null && !state.claims().hasAny()) {
          // What is dirty lies in busy ranges, perhaps in these two: waiting would be for ever.
          return false;
        }
      } finally {
        lock.unlock();
      }
      if (batch == null) {
        SpinLock.giveWayMounted(); // Others may wait for the ranges that are busy meanwhile.
      } else {
        purges.settleOrGiveWay(batch);
      }
    }
  }

  private void finishCopy(GrowthRange from, GrowthRange to, long bytes) {
    lock.lock();
    try {
      region.set(to, bytes, Math.max(bytes, to.residentBytes));
      handOnPayment(from, to);
      free(from);
      endBusy(from, to);
    } finally {
      lock.unlock();
    }
  }

  /** A copy that was admitted has failed: what it may have touched is dirty. */
  private void undoCopy(GrowthRange to, long keptBytes) {
    lock.lock();
    try {
      ledger.free(keptBytes);
      region.set(to, 0, Math.max(keptBytes, to.residentBytes));
    } finally {
      lock.unlock();
    }
  }

  /** Nothing has been moved. */
  private void undo(GrowthRange from, GrowthRange to, long bytes, Lane lane) {
    lock.lock();
    try {
      pay(to, from.liveBytes - bytes, lane);
      long dirty = dirtyBytes(to, from.liveBytes, bytes);
      ledger.free(dirty);
      ledger.purgedLive(bytes - from.liveBytes - dirty);
      endBusy(from, to);
      region.giveBack(to);
    } finally {
      lock.unlock();
    }
  }

  private boolean admits(long bytes, Lane lane) {
    return lane.isPromise() || ledger.admits(bytes, lane);
  }

  /** What must be purged first. A promise is kept above a limit that was lowered since. */
  private long excess(long cleanBytes, Lane lane) {
    if (!lane.isPromise()) {
      return ledger.excess(cleanBytes);
    }
    return ledger.dirtyBytes() == 0 ? 0 : ledger.excessOfPromised(cleanBytes);
  }

  /** Takes so many bytes, which have become live, out of the promise that covers them. */
  private void pay(GrowthRange range, long bytes, Lane lane) {
    if (lane.isPromise()) {
      ledger.keepPromise(bytes);
      range.smallPromiseBytes += lane.isSmallPromise() ? bytes : 0;
    }
  }

  private static void handOnPayment(GrowthRange from, GrowthRange to) {
    to.smallPromiseBytes += from.smallPromiseBytes;
    from.smallPromiseBytes = 0;
  }

  private void endBusy(GrowthRange from, GrowthRange to) {
    region.endBusy(from);
    region.endBusy(to);
  }

  private void makeLive(GrowthRange range, long bytes) {
    countLive(range, range.liveBytes, bytes);
    region.set(range, bytes, Math.max(bytes, range.residentBytes));
  }

  private void countLive(GrowthRange range, long from, long to) {
    ledger.allocate(cleanBytes(range, from, to), dirtyBytes(range, from, to));
  }

  private void free(GrowthRange range) {
    ledger.free(range.liveBytes);
    ledger.freed(range.smallPromiseBytes, Lane.SMALL_PROMISE);
    range.smallPromiseBytes = 0;
    region.set(range, 0, range.residentBytes);
    region.giveBack(range);
  }

  /** How many bytes of a range are not resident. */
  private static long cleanBytes(GrowthRange range, long from, long to) {
    return Math.max(0, to - Math.max(from, range.residentBytes));
  }

  private static long dirtyBytes(GrowthRange range, long from, long to) {
    return to - from - cleanBytes(range, from, to);
  }

  private void tellOfGrowth() {
    boolean surveyDue;
    boolean bandLeft;
    lock.lock();
    try {
      surveyDue = state.isSurveyDue();
      bandLeft = ledger.leaveBand();
    } finally {
      lock.unlock();
    }
    events.grown(surveyDue, bandLeft);
  }
}
