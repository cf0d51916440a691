package dev.weir.memory.pages;

import dev.weir.memory.purge.PurgePolicy;
import org.jspecify.annotations.Nullable;

/**
 * What the page heap's lock guards: the regions, the ledger, the claims of those who purge ({@link
 * DirtyClaims}), and how much may stay dirty ({@link DirtyLimits}). Every method is one step under
 * the lock: O(log n), no system call.
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

  private final ReservationPlan plan;
  private final long pageBytes;
  private final int pageShift;
  private final int osPageBytes;
  private final long runBase;
  private final ResidentLedger ledger;
  private final RunRegion runs;
  private final SpanRegion smallSpans;
  private final SpanRegion largeSpans;
  private final GrowthRegion growth;
  private long liveRuns;
  private long liveRunPages;
  private long largeRunBytes;
  private final DirtyClaims claims;
  private final DirtyLimits dirtyLimits;

  /** How many live bytes make another survey due. */
  private long surveyAtBytes = SURVEY_STEP_BYTES;

  PageState(
      Reservation reservation,
      int osPageBytes,
      ResidentLedger ledger,
      int kinds,
      PurgePolicy policy) {
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
    this.growth = new GrowthRegion(plan.growth(), reservation.growthBase());
    this.claims = new DirtyClaims(this, ledger, runBase, pageShift);
    this.dirtyLimits = new DirtyLimits(this, ledger, policy);
  }

  /** Who purges what. */
  DirtyClaims claims() {
    return claims;
  }

  /** How much may stay dirty. */
  DirtyLimits dirtyLimits() {
    return dirtyLimits;
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

  /** What large runs hold. */
  long largeRunBytes() {
    return largeRunBytes;
  }

  ReservationPlan plan() {
    return plan;
  }

  GrowthRegion growth() {
    return growth;
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
    region.unretire(span);
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
    return !region.hasFreeAddress() && (region.oldestRetired() != null || claims.hasAny());
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
    claims.countPurged(bytes);
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
        liveRunPages * pageBytes + growth.liveBytes(),
        liveRuns + growth.openRanges(),
        runs.freeRunCount(),
        ledger.peakResidentBytes(),
        claims.purgedBytes());
  }

  /** Evaluates the invariants of the regions and the ledger. */
  void checkInvariants() {
    runs.checkInvariants();
    smallSpans.checkInvariants();
    largeSpans.checkInvariants();
    growth.checkInvariants();
    long retired = smallSpans.retiredBytes() + largeSpans.retiredBytes();
    long dirty = runs.dirtyPages() * pageBytes + retired + growth.dirtyBytes() + claims.bytes();
    check(dirty == ledger.dirtyBytes(), "dirty " + dirty + ", counted " + ledger.dirtyBytes());
    long pages = runs.freePages() + liveRunPages + runs.cutPages();
    check(
        pages == runs.totalPages(),
        "free, live and claimed pages " + pages + " of " + runs.totalPages());
    long slabs = openBytes(smallSpans) + openBytes(largeSpans);
    long live = liveRunPages * pageBytes + growth.liveBytes() + slabs;
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
