package dev.weir.memory.pages;

import dev.weir.memory.purge.PurgePolicy;
import org.jspecify.annotations.Nullable;

/**
 * What the page heap's lock guards: the regions, the ledger, and the claims of those who purge.
 * Every method is one step under the lock: O(log n), no system call.
 *
 * <p>Addresses and lengths are in bytes. Not thread-safe.
 */
final class PageState {
  /** Runs from here on are large: {@link PurgePolicy#dirtyCeilingBytes}. */
  private static final long LARGE_RUN_BYTES = 1L << 20;

  /**
   * A survey of what lies free inside slabs is due when live pages have grown by 1 MiB, and a 128th
   * of them.
   */
  private static final long SURVEY_STEP_BYTES = 1L << 20;

  private static final int SURVEY_SHARE_SHIFT = 7;

  /** The most that one claim of run pages takes: some 100 us of system call. */
  private static final long MAX_CLAIM_BYTES = 1L << 20;

  /**
   * A purge that takes less than 5 us is not worth calling the purger for: to wake a thread takes
   * as long, and it comes too late. Purges are that quick where nobody has written to the pages.
   */
  static final long QUICK_PURGE_NANOS = 5_000;

  /** How many times what it frees or takes a thread purges at once. */
  private static final int FOR_OTHERS_FACTOR = 4;

  private final PurgePolicy policy;
  private final ReservationPlan plan;
  private final long pageBytes;
  private final int pageShift;
  private final int osPageBytes;
  private final long runBase;
  private final ResidentLedger ledger;
  private final RunRegion runs;
  private final SpanRegion smallSpans;
  private final SpanRegion largeSpans;
  private final RoomRegion rooms;
  private long liveRuns;
  private long liveRunPages;
  private long largeRunBytes;
  private long claimedBytes;
  private long purgedBytes;

  /** Whether the last purge took less than calling the purger for it. */
  private boolean purgesAreQuick;

  /** No page below has been dirty since the last {@link #age}: what is freed now is young. */
  private long agedFromPage;

  /** How many live bytes make another survey due. */
  private long surveyAtBytes = SURVEY_STEP_BYTES;

  PageState(
      Reservation reservation,
      int osPageBytes,
      ResidentLedger ledger,
      int kinds,
      PurgePolicy policy) {
    this.policy = policy;
    this.plan = reservation.plan();
    this.pageBytes = plan.pageBytes();
    this.pageShift = Long.numberOfTrailingZeros(pageBytes);
    this.osPageBytes = osPageBytes;
    this.runBase = reservation.runBase();
    this.ledger = ledger;
    this.runs = new RunRegion(plan.runPages());
    this.smallSpans =
        new SpanRegion(SpanSize.SMALL, reservation.smallSpanBase(), plan.smallSpans(), kinds);
    this.largeSpans =
        new SpanRegion(SpanSize.LARGE, reservation.largeSpanBase(), plan.largeSpans(), kinds);
    this.rooms = new RoomRegion(plan.growth(), reservation.roomBase());
  }

  SpanRegion region(SpanSize size) {
    return size == SpanSize.SMALL ? smallSpans : largeSpans;
  }

  // Runs.

  /** The page where a run of so many bytes would begin, or {@link RunRegion#NONE}. */
  long firstFit(long bytes) {
    return runs.firstFit(bytes >> pageShift);
  }

  /** Whether run pages are out of every index at the moment, to be back soon. */
  boolean hasClaimedRuns() {
    return runs.cutPages() > 0;
  }

  /** How many bytes must be purged before a free range can become live; not positive: none. */
  long excessForRun(long startPage, long bytes, boolean promised) {
    long ifAllClean = promised ? ledger.excessOfPromised(bytes) : ledger.excess(bytes);
    return ifAllClean <= 0
        ? ifAllClean
        : ifAllClean - (runs.dirtyIn(startPage, bytes >> pageShift) << pageShift);
  }

  /** Makes a free range a run, and tells its address. */
  long takeRun(long startPage, long bytes) {
    long pages = bytes >> pageShift;
    long dirty = runs.take(startPage, pages);
    ledger.allocate((pages - dirty) * pageBytes, dirty * pageBytes);
    liveRunPages += pages;
    liveRuns++;
    largeRunBytes += bytes >= LARGE_RUN_BYTES ? bytes : 0;
    return runBase + startPage * pageBytes;
  }

  void freeRun(long address, long bytes) {
    long pages = bytes >> pageShift;
    runs.giveDirty((address - runBase) >> pageShift, pages);
    liveRuns--;
    ledger.free(bytes);
    liveRunPages -= pages;
    largeRunBytes -= bytes >= LARGE_RUN_BYTES ? bytes : 0;
  }

  RunRegion runs() {
    return runs;
  }

  ReservationPlan plan() {
    return plan;
  }

  RoomRegion rooms() {
    return rooms;
  }

  // Spans.

  /**
   * Takes back a retired span of the kind, if what it keeps resident may become live, with what
   * else it needs before it can hold anything: it would be refused that, and another address, where
   * all is clean, would not be looked for.
   */
  @Nullable Span takeRetired(SpanSize size, int kind) {
    SpanRegion region = region(size);
    Span span = region.newestRetired(kind);
    if (span == null || !ledger.admits(span.firstBytes(osPageBytes), size.lane())) {
      return null;
    }
    region.unpark(span);
    ledger.allocate(0, span.committedBytes());
    return span;
  }

  /**
   * Gives a fresh span the address and pages of the oldest retired one, or a clean address. Pages
   * behind its last slot would be live without a use, and so beyond the bound, and so would all of
   * them where the limit has no room for its first slot beside them: it gets such only where there
   * is no other address.
   */
  boolean open(Span fresh) {
    if (ledger.isClosed()) {
      return false;
    }
    SpanRegion region = region(fresh.size());
    Span victim = region.oldestRetired();
    if (victim == null) {
      return region.open(fresh);
    }
    Lane lane = fresh.size().lane();
    boolean isUseful =
        ledger.admits(fresh.firstBytesAfter(victim, osPageBytes), lane)
            && fresh.canUseAllOf(victim, osPageBytes);
    if (!isUseful && region.open(fresh)) {
      return true;
    }
    if (!ledger.admits(victim.committedBytes(), lane)) {
      return false;
    }
    region.replaceRetired(victim, fresh);
    ledger.allocate(0, fresh.committedBytes());
    return true;
  }

  /** Whether the last addresses for spans of a size are those of retired ones, or being purged. */
  boolean hasAddressesInPurges(SpanSize size) {
    SpanRegion region = region(size);
    return !region.hasFreeAddress() && (region.oldestRetired() != null || hasClaims());
  }

  /** The bytes of a range of a span's pages that are not live yet. */
  long uncommittedBytes(Span span, int from, int to) {
    return (long) (to - from - span.committed().countIn(from, to)) * osPageBytes;
  }

  void commit(Span span, int from, int to) {
    ledger.allocate(uncommittedBytes(span, from, to), 0);
    span.commit(from, to, osPageBytes);
  }

  void uncommit(Span span, PageSet pages) {
    long bytes = (long) pages.size() * osPageBytes;
    span.uncommit(pages, osPageBytes);
    ledger.purgedLive(bytes);
    purgedBytes += bytes;
  }

  void retire(Span span) {
    SpanRegion region = region(span.size());
    if (span.committedBytes() == 0) {
      region.close(span);
    } else {
      region.retire(span);
      ledger.free(span.committedBytes());
    }
  }

  // Surveys.

  /** Whether live pages have grown enough to look where they hold nothing. */
  boolean isSurveyDue() {
    return ledger.liveBytes() >= surveyAtBytes;
  }

  /** Sets when the next survey is due. */
  void surveyed() {
    surveyAtBytes =
        ledger.liveBytes() + SURVEY_STEP_BYTES + (ledger.liveBytes() >> SURVEY_SHARE_SHIFT);
  }

  // Dirty pages.

  /** Whether anybody is purging. */
  boolean hasClaims() {
    return claimedBytes > 0;
  }

  /** Dirty bytes that nobody is purging. */
  long unclaimedDirtyBytes() {
    return ledger.dirtyBytes() - claimedBytes;
  }

  private long dirtyCeilingBytes() {
    return policy.dirtyCeilingBytes(
        ledger.liveBytes(), ledger.peakLiveBytes(), largeRunBytes, rooms.dirtyBytes());
  }

  private long dirtyWakeBytes() {
    return policy.dirtyWakeBytes(
        ledger.liveBytes(), ledger.peakLiveBytes(), largeRunBytes, rooms.dirtyBytes());
  }

  private long dirtyKeepBytes() {
    return policy.dirtyKeepBytes(
        ledger.liveBytes(), ledger.peakLiveBytes(), largeRunBytes, rooms.dirtyBytes());
  }

  /** {@link PageHeap#idleInsideBytes}. Needs no lock. */
  long idleInsideBytes() {
    return policy.idleInsideBytes(ledger.liveBytesOpaque());
  }

  /** {@link PageHeap#usefulInsideBytes}. Needs no lock. */
  long usefulInsideBytes() {
    return policy.usefulInsideBytes(ledger.liveBytesOpaque());
  }

  /**
   * Whether the purger is to come. Where purging is quicker than calling it, only for what they
   * leave who purge themselves.
   */
  boolean isDirtyHigh() {
    return isDirtyAbove(purgesAreQuick ? dirtyCeilingBytes() : dirtyWakeBytes())
        || (ledger.excessOfPromised(0) > 0 && unclaimedDirtyBytes() > 0);
  }

  /** What may stay dirty after {@link #isDirtyHigh}: less than before it, and within the limit. */
  long dirtyToKeepBytes() {
    return Math.clamp(ledger.limitBytes() - ledger.liveBytes(), 0, dirtyKeepBytes());
  }

  /**
   * Whether more is dirty than may stay so: the purger has fallen behind. Those who take clean
   * pages meanwhile purge dirty ones, which costs them a quarter of what the faults on the clean
   * ones will.
   */
  boolean isDirtyOverflowing() {
    return isDirtyAbove(dirtyCeilingBytes());
  }

  /**
   * Whether more is dirty than may stay so now, and more than the purger would keep was so before
   * this many bytes were freed: who frees them purges. One large block alone is left to the purger,
   * since it may be asked for again at once.
   */
  boolean hasOverflowedBy(long freedBytes) {
    return isDirtyAbove(Math.max(dirtyCeilingBytes(), dirtyKeepBytes() + freedBytes));
  }

  /**
   * How many bytes somebody purges who has freed or taken so many, and found too many dirty: as
   * many, or up to four times that, as far as the purger would not keep them. A purge of several
   * stretches takes little longer than that of one.
   */
  long dirtyToPurgeFor(long bytes) {
    long excess = unclaimedDirtyBytes() - dirtyKeepBytes();
    return Math.max(bytes, Math.min(excess, FOR_OTHERS_FACTOR * bytes));
  }

  private boolean isDirtyAbove(long bytes) {
    return unclaimedDirtyBytes() > bytes;
  }

  /**
   * Claims so many dirty bytes, as far as there are any and a batch has room: the spans that were
   * retired longest, then pages of the run region, then of the rooms that have been dirty longest.
   * Null: there is nothing to claim.
   */
  @Nullable PurgeBatch claimDirty(long bytes) {
    return bytes > 0 ? batch(bytes, this::nextDirty) : null;
  }

  /** Claims pages that have been dirty since the last {@link #age}, as many as a batch holds. */
  @Nullable PurgeBatch claimAged() {
    return batch(Long.MAX_VALUE, this::nextAged);
  }

  private interface Claimant {
    @Nullable PurgeClaim claim(PurgeBatch batch, long bytes);
  }

  /** The claims that add up to so many bytes, or fewer if there are no more; null: none. */
  private @Nullable PurgeBatch batch(long bytes, Claimant next) {
    PurgeBatch batch = new PurgeBatch();
    boolean complete = false;
    try {
      while (batch.bytes() < bytes && !batch.isFull()) {
        PurgeClaim claim = next.claim(batch, bytes - batch.bytes());
        if (claim == null) {
          break;
        }
        batch.add(claim);
      }
      complete = true;
    } finally {
      if (!complete) {
        batch.settle(this); // All who need room wait for claims.
      }
    }
    return batch.isEmpty() ? null : batch;
  }

  private @Nullable PurgeClaim nextDirty(PurgeBatch batch, long bytes) {
    PurgeClaim claim = claimOldest(smallSpans);
    if (claim == null) {
      claim = claimOldest(largeSpans);
    }
    if (claim == null) {
      long maxPages = claimPages(bytes);
      long start = runs.nextToPurge(maxPages, batch::mayPass);
      if (start != RunRegion.NONE) {
        claim = claimRun(start, runs.foundPages());
      }
    }
    if (claim == null) {
      claim = counted(rooms.claimOldest(claimBytes(bytes)));
    }
    return claim;
  }

  private @Nullable PurgeClaim nextAged(PurgeBatch batch, long bytes) {
    PurgeClaim claim = counted(rooms.claimAged(claimBytes(bytes)));
    if (claim == null) {
      claim = claimAged(smallSpans);
    }
    if (claim == null) {
      claim = claimAged(largeSpans);
    }
    if (claim == null) {
      long start = runs.nextAged(agedFromPage);
      if (start != RunRegion.NONE) {
        long pages = runs.agedLengthAt(start, claimPages(bytes));
        claim = claimRun(start, pages);
        agedFromPage = start + pages;
      }
    }
    return claim;
  }

  /** Ends the youth of all dirty pages. */
  void age() {
    agedFromPage = 0;
    runs.age();
    smallSpans.age();
    largeSpans.age();
    rooms.age();
    ledger.age();
  }

  /** Whether who finds too much dirty need not call the purger if he purges himself. */
  boolean arePurgesQuick() {
    return purgesAreQuick;
  }

  /** Tells how long the purge of a batch took. */
  void purgeTook(long nanos) {
    purgesAreQuick = nanos < QUICK_PURGE_NANOS;
  }

  /** Puts a claim's pages back: clean if they were purged, dirty if that failed. */
  void settle(PurgeClaim claim, boolean purged) {
    claimedBytes -= claim.residentBytes();
    if (purged) {
      ledger.purged(claim.residentBytes());
      purgedBytes += claim.residentBytes();
    }
    // Not a switch over types: its first use links it, which takes far more stack, and Java heap.
    if (claim instanceof PurgeClaim.OfRun run) {
      runs.putBack(run.startPage(), run.pages(), purged);
    } else if (claim instanceof PurgeClaim.OfSpan span) {
      settle(span.region(), span.span(), purged);
    } else if (claim instanceof PurgeClaim.OfRoom room) {
      room.region().settle(room, purged);
    }
  }

  private static void settle(SpanRegion region, Span span, boolean purged) {
    span.claimed = false;
    if (purged) {
      region.close(span);
    } else {
      region.retire(span);
    }
  }

  private long claimBytes(long bytes) {
    return claimPages(bytes) << pageShift;
  }

  private long claimPages(long bytes) {
    return (Math.min(bytes, MAX_CLAIM_BYTES) + pageBytes - 1) >> pageShift;
  }

  private @Nullable PurgeClaim counted(PurgeClaim.@Nullable OfRoom claim) {
    if (claim != null) {
      claimedBytes += claim.residentBytes();
    }
    return claim;
  }

  private @Nullable PurgeClaim claimAged(SpanRegion region) {
    Span span = region.oldestRetired();
    return span == null || span.young ? null : claimOldest(region);
  }

  private @Nullable PurgeClaim claimOldest(SpanRegion region) {
    Span span = region.oldestRetired();
    if (span == null) {
      return null;
    }
    PurgeClaim claim = new PurgeClaim.OfSpan(region, span);
    region.unpark(span);
    span.claimed = true;
    claimedBytes += span.committedBytes();
    return claim;
  }

  private PurgeClaim claimRun(long start, long pages) {
    // Made first: a claim that the Java heap has no room for would never be settled.
    PurgeClaim claim =
        new PurgeClaim.OfRun(start, pages, runBase + start * pageBytes, pages * pageBytes);
    runs.claim(start, pages);
    claimedBytes += pages * pageBytes;
    return claim;
  }

  // Seeing.

  PageTotals totals() {
    long spanBytes =
        (long) plan.smallSpans() * SpanSize.SMALL.bytes()
            + (long) plan.largeSpans() * SpanSize.LARGE.bytes();
    return new PageTotals(
        ledger.limitBytes(),
        runs.totalPages() * pageBytes + spanBytes + plan.growth().bytes(),
        ledger.liveBytes(),
        ledger.dirtyBytes(),
        ledger.promisedBytes(),
        liveRunPages * pageBytes + rooms.liveBytes(),
        liveRuns + rooms.openRooms(),
        runs.freeRunCount(),
        ledger.peakResidentBytes(),
        purgedBytes);
  }

  /** Evaluates the invariants of the regions and the ledger. */
  void checkInvariants() {
    runs.checkInvariants();
    smallSpans.checkInvariants();
    largeSpans.checkInvariants();
    rooms.checkInvariants();
    long retired = smallSpans.retiredBytes() + largeSpans.retiredBytes();
    long dirty = runs.dirtyPages() * pageBytes + retired + rooms.dirtyBytes() + claimedBytes;
    check(dirty == ledger.dirtyBytes(), "dirty " + dirty + ", counted " + ledger.dirtyBytes());
    long pages = runs.freePages() + liveRunPages + runs.cutPages();
    check(
        pages == runs.totalPages(),
        "free, live and claimed pages " + pages + " of " + runs.totalPages());
    long slabs = openBytes(smallSpans) + openBytes(largeSpans);
    long live = liveRunPages * pageBytes + rooms.liveBytes() + slabs;
    check(live == ledger.liveBytes(), "live " + live + ", counted " + ledger.liveBytes());
    check(ledger.promisedBytes() >= 0, "promised " + ledger.promisedBytes());
    long small = ledger.smallPromisesBytes();
    check(small >= 0 && small <= ledger.usedBytes(), "of small promises " + small);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static long openBytes(SpanRegion region) {
    long bytes = 0;
    for (int index = 0; index < region.extent(); index++) {
      Span span = region.at(index);
      if (span != null && span.isOpen()) {
        bytes += span.committedBytes();
      }
    }
    return bytes;
  }
}
