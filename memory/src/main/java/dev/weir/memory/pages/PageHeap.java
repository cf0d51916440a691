package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one reservation: hands out runs and spans, takes them back, and sees to it that live
 * and dirty pages together never exceed the limit.
 *
 * <p>Thread-safe. One spin lock guards the regions and the ledger; critical sections are O(log n)
 * and make no system call and no callback. Addresses and lengths are in bytes, those of runs in
 * whole {@link #pageBytes() pages}.
 */
/*
 * Purging. A thread that needs clean pages to become resident where the limit leaves no room claims dirty pages: they
 * leave every index under the lock, are given back without it, and return as clean. While claims are under way their
 * bytes still count as dirty. A promise is kept even where the limit was lowered after it was given. A thread that finds nothing left to claim, although its request fits once everything
 * dirty is purged, yields until the others' claims are settled; so nobody is refused because of a purge in progress.
 */
public final class PageHeap {
  /** What the allocation methods return when the limit (or the address space) leaves no room. */
  public static final long FULL = -1;

  /** The least that may stay dirty before the purger is called: 4 MiB. */
  private static final long DIRTY_FLOOR_BYTES = 4L << 20;

  /** Dirty pages may be a 32nd of the live ones: 3 %. */
  private static final int DIRTY_SHARE_SHIFT = 5;

  /** The most that one claim takes: about 2 ms of system call. */
  private static final long MAX_CLAIM_BYTES = 16L << 20;

  private final NativeMemory os;
  private final Reservation reservation;
  private final PageHeapEvents events;
  private final long pageBytes;
  private final long runBase;

  private final SpinLock lock = new SpinLock();
  private final ResidentLedger ledger;
  private final RunRegion runs;
  private final SpanRegion smallSpans;
  private final SpanRegion largeSpans;
  private long liveRuns;
  private long liveRunPages;
  private long purgingRunPages;
  private long purgingBytes;
  private long purgedBytes;

  /**
   * @param limitBytes the most that may be resident, a whole number of pages
   * @param reserveBytes the part of it that only {@link Lane#SMALL} requests may use
   * @param kinds how many kinds of span there are
   */
  public PageHeap(
      NativeMemory os,
      Reservation reservation,
      long limitBytes,
      long reserveBytes,
      int kinds,
      PageHeapEvents events) {
    ReservationPlan plan = reservation.plan();
    this.os = os;
    this.reservation = reservation;
    this.events = events;
    this.pageBytes = plan.pageBytes();
    this.runBase = reservation.runBase();
    this.ledger = new ResidentLedger(limitBytes, reserveBytes);
    this.runs = new RunRegion(plan.runPages());
    this.smallSpans =
        new SpanRegion(SpanSize.SMALL, reservation.smallSpanBase(), plan.smallSpans(), kinds);
    this.largeSpans =
        new SpanRegion(SpanSize.LARGE, reservation.largeSpanBase(), plan.largeSpans(), kinds);
  }

  /** The page of run bookkeeping, in bytes. */
  public long pageBytes() {
    return pageBytes;
  }

  /** The granularity of commitment inside spans, in bytes. */
  public int osPageBytes() {
    return os.pageBytes();
  }

  /** The addresses behind this heap. */
  public Reservation reservation() {
    return reservation;
  }

  /**
   * Takes a run at the lowest address where it fits.
   *
   * @param bytes a positive number of whole pages
   * @return its address, or {@link #FULL}
   */
  public long allocateRun(long bytes) {
    return allocateRun(bytes, /* promised= */ false);
  }

  /**
   * Takes a run out of what was promised before.
   *
   * @param bytes whole pages, not more than what is left of the caller's promise
   * @return its address, or {@link #FULL} if no free run of addresses is long enough
   */
  public long allocatePromisedRun(long bytes) {
    return allocateRun(bytes, /* promised= */ true);
  }

  private long allocateRun(long bytes, boolean promised) {
    long pages = bytes / pageBytes;
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        if (!promised && !ledger.admits(bytes, Lane.LARGE)) {
          return FULL;
        }
        long start = runs.firstFit(pages);
        if (start == RunRegion.NONE && purgingRunPages == 0) {
          return FULL;
        }
        if (start != RunRegion.NONE) {
          long dirty = runs.dirtyIn(start, pages) * pageBytes;
          long excess = ledger.excess(bytes - dirty);
          if (excess <= 0 || ledger.dirtyBytes() == 0) {
            takeRun(start, pages);
            liveRuns++;
            if (promised) {
              ledger.settlePromise(bytes);
            }
            return runBase + start * pageBytes;
          }
          claim = claimDirty(excess);
        } else {
          claim = null;
        }
      } finally {
        lock.unlock();
      }
      settleOrYield(claim);
    }
  }

  /**
   * Lengthens a run in place.
   *
   * @param bytes its length now
   * @param newBytes its length then, in whole pages
   * @return whether the pages behind it were free and the limit had room
   */
  public boolean tryExtendRun(long address, long bytes, long newBytes) {
    long end = (address - runBase + bytes) / pageBytes;
    long more = (newBytes - bytes) / pageBytes;
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        if (!ledger.admits(more * pageBytes, Lane.LARGE) || runs.freeLengthAt(end) < more) {
          return false;
        }
        long excess = ledger.excess((more - runs.dirtyIn(end, more)) * pageBytes);
        if (excess <= 0) {
          takeRun(end, more);
          return true;
        }
        claim = claimDirty(excess);
      } finally {
        lock.unlock();
      }
      settleOrYield(claim);
    }
  }

  /** Gives a run back. */
  public void freeRun(long address, long bytes) {
    boolean dirtyHigh;
    lock.lock();
    try {
      giveRun(address, bytes);
      liveRuns--;
      dirtyHigh = dirtyHigh();
    } finally {
      lock.unlock();
    }
    announce(dirtyHigh);
  }

  /** Gives the tail of a run back: it keeps its first {@code newBytes}, at least a page. */
  public void shrinkRun(long address, long bytes, long newBytes) {
    boolean dirtyHigh;
    lock.lock();
    try {
      giveRun(address + newBytes, bytes - newBytes);
      dirtyHigh = dirtyHigh();
    } finally {
      lock.unlock();
    }
    announce(dirtyHigh);
  }

  /**
   * Takes back the span of this kind that was parked last, with its committed pages; null if there
   * is none, or no room for them beside what is promised.
   */
  public @Nullable Span takeParked(SpanSize size, int kind) {
    lock.lock();
    try {
      Span span = region(size).newestParked(kind);
      if (span == null || !ledger.admits(span.committedBytes(), size.lane())) {
        return null;
      }
      region(size).unpark(span);
      ledger.allocate(0, span.committedBytes());
      return span;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a fresh span its address: that of the oldest parked span, with its dirty pages, or a
   * clean one.
   *
   * @return false if every address of its region is taken
   */
  public boolean open(Span fresh) {
    lock.lock();
    try {
      SpanRegion region = region(fresh.size());
      Span victim = region.oldestParked();
      if (victim != null && ledger.admits(victim.committedBytes(), fresh.size().lane())) {
        region.replaceParked(victim, fresh);
        ledger.allocate(0, fresh.committedBytes());
        return true;
      }
      return region.open(fresh);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes more of an open span live.
   *
   * @param committedBytes how much of its front is to be live, in whole OS pages
   * @return false if the limit has no room
   */
  public boolean commit(Span span, int committedBytes) {
    Lane lane = span.size().lane();
    long more = (long) committedBytes - span.committedBytes();
    if (more <= 0) {
      return false;
    }
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        if (!ledger.admits(more, lane)) {
          return false;
        }
        long excess = ledger.excess(more);
        if (excess <= 0) {
          ledger.allocate(more, 0);
          span.place(span.address(), committedBytes);
          return true;
        }
        claim = claimDirty(excess);
      } finally {
        lock.unlock();
      }
      settleOrYield(claim);
    }
  }

  /** Gives back a span none of whose blocks is live. Its owner must not touch it afterwards. */
  public void park(Span span) {
    boolean dirtyHigh;
    lock.lock();
    try {
      SpanRegion region = region(span.size());
      if (span.committedBytes() == 0) {
        region.close(span);
        return;
      }
      region.park(span);
      ledger.free(span.committedBytes());
      dirtyHigh = dirtyHigh();
    } finally {
      lock.unlock();
    }
    announce(dirtyHigh);
  }

  /** Sets pages aside for later runs, if the limit has room for them. */
  public boolean tryPromise(long bytes) {
    lock.lock();
    try {
      if (!ledger.admits(bytes, Lane.LARGE)) {
        return false;
      }
      ledger.promise(bytes);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what was promised and not used. */
  public void returnPromise(long bytes) {
    lock.lock();
    try {
      ledger.settlePromise(bytes);
    } finally {
      lock.unlock();
    }
    events.roomFreed();
  }

  /** The most that a single run or promise could ever be, with nothing else live. */
  public long largestAdmissibleBytes() {
    lock.lock();
    try {
      return ledger.largestAdmissible(Lane.LARGE);
    } finally {
      lock.unlock();
    }
  }

  /** Gives back every dirty page. */
  public void purgeAll() {
    purgeDownTo(0);
  }

  /**
   * Gives back dirty pages, the oldest spans and the highest pages first, until no more than so
   * many are left.
   */
  public void purgeDownTo(long keepBytes) {
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        long excess = ledger.dirtyBytes() - purgingBytes - keepBytes;
        claim = excess > 0 ? claimDirty(excess) : null;
      } finally {
        lock.unlock();
      }
      if (claim == null) {
        return;
      }
      settle(claim);
    }
  }

  /**
   * Gives back what {@link #dirtyHigh} complains about, down to half of it so that steady churn
   * does not call often.
   */
  public void purgeExcess() {
    purgeDownTo(dirtyCeilingBytes() / 2);
  }

  /**
   * Gives back the pages that were dirty at the last call already, and marks the others as seen:
   * called every half decay time, it purges each page between a half and a whole decay time after
   * its last use.
   */
  public void purgeAged() {
    long nextPage = 0;
    while (true) {
      PurgeClaim claim;
      lock.lock();
      try {
        claim = claimAgedSpan(smallSpans);
        if (claim == null) {
          claim = claimAgedSpan(largeSpans);
        }
        if (claim == null) {
          long start = runs.nextAged(nextPage);
          if (start == RunRegion.NONE) {
            runs.age();
            smallSpans.age();
            largeSpans.age();
            return;
          }
          long pages = runs.agedLengthAt(start, MAX_CLAIM_BYTES / pageBytes);
          nextPage = start + pages;
          claim = claimRun(start, pages);
        }
      } finally {
        lock.unlock();
      }
      settle(claim);
    }
  }

  /** The counters, all of the same moment. */
  public PageTotals totals() {
    lock.lock();
    try {
      long spanBytes =
          (long) reservation.plan().smallSpans() * SpanSize.SMALL.bytes()
              + (long) reservation.plan().largeSpans() * SpanSize.LARGE.bytes();
      return new PageTotals(
          ledger.limitBytes(),
          runs.totalPages() * pageBytes + spanBytes,
          ledger.liveBytes(),
          ledger.dirtyBytes(),
          ledger.promisedBytes(),
          liveRunPages * pageBytes,
          liveRuns,
          runs.freeRunCount(),
          ledger.peakResidentBytes(),
          purgedBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Every span that is open or parked at this moment, and nulls between them. */
  public @Nullable Span[] spans(SpanSize size) {
    lock.lock();
    try {
      return region(size).copyOfSpans();
    } finally {
      lock.unlock();
    }
  }

  /** Changes the limit. A limit below what is live takes effect as memory is freed. */
  public void setLimit(long bytes) {
    lock.lock();
    try {
      ledger.setLimit(bytes);
    } finally {
      lock.unlock();
    }
    events.roomFreed();
  }

  /**
   * Ends the page heap if nothing of it is resident or promised: every later request finds it full.
   *
   * @return whether it has ended; its reservation may be released then
   */
  public boolean tryRetire() {
    lock.lock();
    try {
      if (ledger.residentBytes() != 0 || ledger.promisedBytes() != 0) {
        return false;
      }
      ledger.setLimit(-1);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Starts the measurement of the peak anew. */
  public void resetPeak() {
    lock.lock();
    try {
      ledger.resetPeak();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Evaluates the invariants of the regions and the ledger; throws {@link AssertionError} where one
   * does not hold.
   */
  public void checkInvariants() {
    lock.lock();
    try {
      runs.checkInvariants();
      smallSpans.checkInvariants();
      largeSpans.checkInvariants();
      long parked = smallSpans.parkedBytes() + largeSpans.parkedBytes();
      long dirty = runs.dirtyPages() * pageBytes + parked + purgingBytes;
      check(dirty == ledger.dirtyBytes(), "dirty " + dirty + ", counted " + ledger.dirtyBytes());
      long pages = runs.freePages() + liveRunPages + purgingRunPages;
      check(
          pages == runs.totalPages(),
          "free, live and claimed pages " + pages + " of " + runs.totalPages());
      long live = liveRunPages * pageBytes + openBytes(smallSpans) + openBytes(largeSpans);
      check(live == ledger.liveBytes(), "live " + live + ", counted " + ledger.liveBytes());
      check(ledger.promisedBytes() >= 0, "promised " + ledger.promisedBytes());
    } finally {
      lock.unlock();
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static long openBytes(SpanRegion region) {
    long bytes = 0;
    for (Span span : region.copyOfSpans()) {
      if (span != null && !span.parked && !span.claimed) {
        bytes += span.committedBytes();
      }
    }
    return bytes;
  }

  private SpanRegion region(SpanSize size) {
    return size == SpanSize.SMALL ? smallSpans : largeSpans;
  }

  private void takeRun(long start, long pages) {
    long dirty = runs.take(start, pages);
    ledger.allocate((pages - dirty) * pageBytes, dirty * pageBytes);
    liveRunPages += pages;
  }

  private void giveRun(long address, long bytes) {
    long pages = bytes / pageBytes;
    runs.giveDirty((address - runBase) / pageBytes, pages);
    ledger.free(bytes);
    liveRunPages -= pages;
  }

  private boolean dirtyHigh() {
    return ledger.dirtyBytes() - purgingBytes > dirtyCeilingLocked();
  }

  private long dirtyCeilingLocked() {
    return Math.max(DIRTY_FLOOR_BYTES, ledger.liveBytes() >> DIRTY_SHARE_SHIFT);
  }

  private long dirtyCeilingBytes() {
    lock.lock();
    try {
      return dirtyCeilingLocked();
    } finally {
      lock.unlock();
    }
  }

  private void announce(boolean dirtyHigh) {
    events.roomFreed();
    if (dirtyHigh) {
      events.dirtyHigh();
    }
  }

  /**
   * Under the lock: takes some of the dirty pages out of the indices, at most so many bytes if they
   * are runs.
   */
  private @Nullable PurgeClaim claimDirty(long bytes) {
    PurgeClaim claim = claimOldestSpan(smallSpans);
    if (claim == null) {
      claim = claimOldestSpan(largeSpans);
    }
    if (claim == null) {
      long maxPages = Math.min(bytes + pageBytes - 1, MAX_CLAIM_BYTES) / pageBytes;
      long start = runs.highestDirty(maxPages);
      if (start != RunRegion.NONE) {
        claim = claimRun(start, runs.dirtyLengthAt(start, maxPages));
      }
    }
    return claim;
  }

  private @Nullable PurgeClaim claimOldestSpan(SpanRegion region) {
    Span span = region.oldestParked();
    if (span == null) {
      return null;
    }
    region.unpark(span);
    span.claimed = true;
    purgingBytes += span.committedBytes();
    return new PurgeClaim.OfSpan(region, span);
  }

  private @Nullable PurgeClaim claimAgedSpan(SpanRegion region) {
    Span span = region.oldestParked();
    return span == null || span.young ? null : claimOldestSpan(region);
  }

  private PurgeClaim claimRun(long start, long pages) {
    runs.take(start, pages);
    purgingRunPages += pages;
    purgingBytes += pages * pageBytes;
    return new PurgeClaim.OfRun(start, pages, runBase + start * pageBytes, pages * pageBytes);
  }

  private void settleOrYield(@Nullable PurgeClaim claim) {
    if (claim == null) {
      SpinLock.giveWay();
    } else {
      settle(claim);
    }
  }

  private void settle(PurgeClaim claim) {
    boolean purged = false;
    try {
      os.purge(claim.address(), claim.bytes());
      purged = true;
    } finally {
      lock.lock();
      try {
        settle(claim, purged);
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Under the lock: puts a claim's pages back, clean if they were purged, dirty if the system call
   * failed.
   */
  private void settle(PurgeClaim claim, boolean purged) {
    purgingBytes -= claim.bytes();
    if (purged) {
      ledger.purged(claim.bytes());
      purgedBytes += claim.bytes();
    }
    switch (claim) {
      case PurgeClaim.OfRun run -> {
        purgingRunPages -= run.pages();
        if (purged) {
          runs.giveClean(run.startPage(), run.pages());
        } else {
          runs.giveDirty(run.startPage(), run.pages());
        }
      }
      case PurgeClaim.OfSpan(SpanRegion region, Span span) -> {
        span.claimed = false;
        if (purged) {
          region.close(span);
        } else {
          region.park(span);
        }
      }
    }
  }
}
