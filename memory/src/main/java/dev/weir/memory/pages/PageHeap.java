package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.PurgeRanges;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.memory.sync.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one reservation: hands out runs and spans, takes them back, and sees to it that live
 * and dirty pages together never exceed the limit.
 *
 * <p>Thread-safe. One spin lock guards the {@link PageState}; no system call and no callback is
 * made under it. Addresses and lengths are in bytes, those of runs in whole {@link #pageBytes()
 * pages}.
 */
public final class PageHeap {
  /** The most references to spans that are copied under the lock: about a microsecond. */
  private static final int SPANS_A_STEP = 2048;

  private final PurgePolicy policy;
  private final NativeMemory os;
  private final Reservation reservation;
  private final PageHeapEvents events;
  private final SpinLock lock = SpinLock.innermost();
  private final PageState state;
  private final ResidentLedger ledger;
  private final Promises promises;
  private final ExclusiveAdmission exclusiveAdmission;
  private final DirtyPurges dirtyPurges;
  private final InsidePurges insidePurges = new InsidePurges();
  private final Runs runs;
  private final GrowthHeap growth;

  private volatile boolean hasExcessInside;

  /** Written under the lock, with the limit. */
  private volatile long largestRunBytes;

  /**
   * Creates a page heap.
   *
   * @param limitBytes the most that may be resident, a whole number of pages
   * @param reserveBytes the part of it that only {@link Lane#SMALL} requests may use
   * @param kinds how many kinds of span there are
   * @param policy how much may stay dirty, or free inside spans
   */
  public PageHeap(
      NativeMemory os,
      Reservation reservation,
      long limitBytes,
      long reserveBytes,
      int kinds,
      PurgePolicy policy,
      PageHeapEvents events) {
    this.policy = policy;
    this.os = os;
    this.reservation = reservation;
    this.events = events;
    this.ledger = new ResidentLedger(limitBytes, reserveBytes);
    this.state = new PageState(reservation, os.pageBytes(), ledger, kinds, policy);
    this.promises = new Promises(lock, ledger, events);
    this.exclusiveAdmission = new ExclusiveAdmission(lock, ledger);
    this.dirtyPurges = new DirtyPurges(os, lock, state, ledger);
    this.runs = new Runs(lock, state, ledger, dirtyPurges, events);
    this.growth = new GrowthHeap(os, lock, state, ledger, dirtyPurges, events);
    this.largestRunBytes = ledger.largestAdmissible(Lane.LARGE);
  }

  /** The page of run bookkeeping, in bytes. */
  public int pageBytes() {
    return os.pageBytes();
  }

  /** The addresses behind this heap. */
  public Reservation reservation() {
    return reservation;
  }

  /** Blocks of whole pages that keep their length. */
  public Runs runs() {
    return runs;
  }

  /** Blocks that grow. */
  public GrowthHeap growth() {
    return growth;
  }

  /** Pages that are promised to tasks. */
  public Promises promises() {
    return promises;
  }

  /** What comes free for a request that nearly fits. */
  public ExclusiveAdmission exclusiveAdmission() {
    return exclusiveAdmission;
  }

  /** How dirty pages go back. */
  public DirtyPurges dirtyPurges() {
    return dirtyPurges;
  }

  // Spans.

  /**
   * Takes back the span of this kind that was retired last, with its committed pages; null if there
   * is none, or no room for them, and for what it needs to hold anything, beside what is promised.
   */
  public @Nullable Span takeRetired(SpanSize size, int kind) {
    lock.lock();
    try {
      return state.takeRetired(size, kind);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a fresh span its address: that of the oldest retired span, with its dirty pages, or a
   * clean one.
   *
   * @return false if every address of its region is taken
   */
  public boolean open(Span fresh) {
    lock.lock();
    try {
      return state.open(fresh);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes pages of an open span live. Those of the range that are live already cost nothing.
   *
   * <p>Makes no system call, since its callers may hold a stripe's lock: where dirty pages would
   * have to be purged first, it refuses, and the caller asks {@link DirtyPurges#makeRoom} once it
   * holds no lock.
   *
   * @param from the first page of a range, by its position in the span
   * @param to the page behind the range
   * @return false if the limit has no room at this moment
   */
  public boolean commit(Span span, int from, int to) {
    boolean surveyDue;
    boolean bandLeft;
    lock.lock();
    try {
      long more = state.uncommittedBytes(span, from, to);
      if (!ledger.admits(more, span.size().lane()) || ledger.excess(more) > 0) {
        return false;
      }
      state.commit(span, from, to);
      surveyDue = state.isSurveyDue();
      bandLeft = ledger.leaveBand();
    } finally {
      lock.unlock();
    }
    events.grown(surveyDue, bandLeft);
    return true;
  }

  /**
   * Says that live pages have been looked through: {@link PageHeapEvents#liveGrown} is due later.
   */
  public void surveyed() {
    lock.lock();
    try {
      state.surveyed();
    } finally {
      lock.unlock();
    }
  }

  /** How much free memory stays resident, and who gives it back. */
  public PurgePolicy policy() {
    return policy;
  }

  /** {@link PurgePolicy#idleInsideBytes}. Takes no lock: a heap asks for it before each run. */
  public long idleInsideBytes() {
    return state.dirtyLimits().idleInsideBytes();
  }

  /**
   * Whether heaps look through their slabs before pages become live. Takes no lock: what the last
   * {@link #surveyedInside} has said counts a moment later, too.
   */
  public boolean isLookedThroughBeforeGrowth() {
    return policy.isEager() || hasExcessInside;
  }

  /** Says whether more lies free inside slabs than may. The surveying thread only. */
  public void surveyedInside(boolean isExcess) {
    if (hasExcessInside != isExcess) {
      hasExcessInside = isExcess;
    }
  }

  /** {@link PurgePolicy#usefulInsideBytes}. Takes no lock. */
  public long usefulInsideBytes() {
    return state.dirtyLimits().usefulInsideBytes();
  }

  /** Gives back a span none of whose blocks is live. Its owner must not touch it afterwards. */
  public void retire(Span span) {
    boolean dirtyHigh;
    lock.lock();
    try {
      state.retire(span);
      dirtyHigh = state.dirtyLimits().isHigh();
    } finally {
      lock.unlock();
    }
    events.freed(dirtyHigh);
  }

  /** The purges inside open spans that are under way. */
  public InsidePurges insidePurges() {
    return insidePurges;
  }

  /**
   * Gives back pages of an open span that hold no block. Any thread, while the span's owner leaves
   * its pages alone. If the system call fails, the pages stay live.
   */
  public void purgeInside(Span span, PageSet pages) {
    purgeEach(span, pages);
    lock.lock();
    try {
      state.uncommit(span, pages);
    } finally {
      lock.unlock();
    }
    events.roomFreed();
  }

  private void purgeEach(Span span, PageSet pages) {
    int osPageBytes = os.pageBytes();
    PurgeRanges ranges = new PurgeRanges();
    for (int from = pages.next(0); from < PageSet.MAX_PAGES; ) {
      int to = pages.nextAbsent(from);
      long address = span.address() + (long) from * osPageBytes;
      long bytes = (long) (to - from) * osPageBytes;
      if (ranges.isFull()) {
        os.purge(ranges);
        ranges.clear();
      }
      ranges.add(address, bytes);
      from = pages.next(to);
    }
    os.purge(ranges);
  }

  // Settings and seeing.

  /**
   * Changes the limits given to the constructor. Where more is live, nothing is admitted until
   * enough has been freed; what is dirty beyond the limit is {@link DirtyPurges#purgeExcess}'s.
   */
  public void setLimit(long limitBytes, long reserveBytes) {
    lock.lock();
    try {
      ledger.setLimit(limitBytes, reserveBytes);
      largestRunBytes = ledger.largestAdmissible(Lane.LARGE);
    } finally {
      lock.unlock();
    }
    events.roomFreed();
  }

  /**
   * The longest run that fits into the pool while nothing else is live. Takes no lock: a limit that
   * changes meanwhile counts, or not yet.
   */
  public long largestRunBytes() {
    return largestRunBytes;
  }

  /** Live and promised bytes: what cannot be given back at once. */
  public long usedBytes() {
    lock.lock();
    try {
      return ledger.usedBytes();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has {@link PageHeapEvents} told when used bytes grow to {@code toBytes}; that they have sunk is
   * for those to find out who hear of freed room.
   */
  public void watchUsed(long fromBytes, long toBytes) {
    lock.lock();
    try {
      ledger.setBand(fromBytes, toBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Whether used bytes have left what {@link #watchUsed} was last given. */
  public boolean hasLeftBand() {
    lock.lock();
    try {
      return ledger.hasLeftBand();
    } finally {
      lock.unlock();
    }
  }

  /** Admits nothing from now on but what was promised. */
  public void close() {
    lock.lock();
    try {
      ledger.close();
    } finally {
      lock.unlock();
    }
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
      ledger.close();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The counters, all of the same moment. */
  public PageTotals totals() {
    lock.lock();
    try {
      return state.totals();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Shows the state of every page to a visitor, region by region. The lock is taken for a few
   * microseconds at a time, and not held while the visitor is called: what it sees of one step is
   * of one moment, and later steps are of later ones. Pages that somebody is purging look dirty or
   * live.
   */
  public void visitPages(PageVisitor visitor) {
    new PageWalk(lock, state, os.pageBytes(), visitor).walk();
  }

  /**
   * Every span that is open or retired, and nulls between them. The lock is taken for a microsecond
   * at a time: each step sees a moment, later ones a later moment, and no address twice.
   */
  public @Nullable Span[] spans(SpanSize size) {
    SpanRegion region = state.region(size);
    @Nullable Span[] spans = new Span[extentOf(region)];
    for (int from = 0; from < spans.length; from += SPANS_A_STEP) {
      int count = Math.min(SPANS_A_STEP, spans.length - from);
      lock.lock();
      try {
        region.copySpans(from, count, spans);
      } finally {
        lock.unlock();
      }
    }
    return spans;
  }

  private int extentOf(SpanRegion region) {
    lock.lock();
    try {
      return region.extent();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Evaluates the invariants of the regions and the ledger.
   *
   * @throws AssertionError where one does not hold
   */
  public void checkInvariants() {
    lock.lock();
    try {
      state.checkInvariants();
    } finally {
      lock.unlock();
    }
  }
}
