package dev.weir.memory.pages;

import org.jspecify.annotations.Nullable;

/**
 * Dirty pages that somebody purges: claimed under the page heap's lock, given back to the operating
 * system without it, and settled under it again. Until then they count as dirty, and nobody else
 * gets them. Under the page heap's lock.
 */
final class DirtyClaims {
  /** The most that one claim of run pages takes: some 100 us of system call. */
  private static final long MAX_CLAIM_BYTES = 1L << 20;

  private final PageState state;
  private final ResidentLedger ledger;
  private final long runBase;
  private final int pageShift;
  private final long pageBytes;
  private long claimedBytes;
  private long purgedBytes;

  /** No page below has been dirty since the last {@link #age}: what is freed now is young. */
  private long agedFromPage;

  DirtyClaims(PageState state, ResidentLedger ledger, long runBase, int pageShift) {
    this.state = state;
    this.ledger = ledger;
    this.runBase = runBase;
    this.pageShift = pageShift;
    this.pageBytes = 1L << pageShift;
  }

  /** Whether anybody is purging. */
  boolean hasAny() {
    return claimedBytes > 0;
  }

  /** Dirty bytes that nobody is purging. */
  long unclaimedDirtyBytes() {
    return ledger.dirtyBytes() - claimedBytes;
  }

  /** What they hold. */
  long bytes() {
    return claimedBytes;
  }

  /** What has been given back to the operating system so far. */
  long purgedBytes() {
    return purgedBytes;
  }

  /** Counts what was given back without a claim. */
  void countPurged(long bytes) {
    purgedBytes += bytes;
  }

  /**
   * Claims so many dirty bytes, as far as there are any and a batch has room: the spans that were
   * retired longest, then pages of the run region, then of the growth ranges that have been dirty
   * longest. Null: there is nothing to claim.
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
        batch.settle(state); // All who need room wait for claims.
      }
    }
    return batch.isEmpty() ? null : batch;
  }

  private @Nullable PurgeClaim nextDirty(PurgeBatch batch, long bytes) {
    PurgeClaim claim = claimOldest(state.region(SpanSize.SMALL));
    if (claim == null) {
      claim = claimOldest(state.region(SpanSize.LARGE));
    }
    if (claim == null) {
      long maxPages = claimPages(bytes);
      long start = state.runs().nextToPurge(maxPages, batch::mayPass);
      if (start != RunRegion.NONE) {
        claim = claimRun(start, state.runs().foundPages());
      }
    }
    if (claim == null) {
      claim = counted(state.growth().claimOldest(claimBytes(bytes)));
    }
    return claim;
  }

  private @Nullable PurgeClaim nextAged(PurgeBatch batch, long bytes) {
    PurgeClaim claim = counted(state.growth().claimAged(claimBytes(bytes)));
    if (claim == null) {
      claim = claimAged(state.region(SpanSize.SMALL));
    }
    if (claim == null) {
      claim = claimAged(state.region(SpanSize.LARGE));
    }
    if (claim == null) {
      long start = state.runs().nextAged(agedFromPage);
      if (start != RunRegion.NONE) {
        long pages = state.runs().agedLengthAt(start, claimPages(bytes));
        claim = claimRun(start, pages);
        agedFromPage = start + pages;
      }
    }
    return claim;
  }

  /** Ends the youth of all dirty pages. */
  void age() {
    agedFromPage = 0;
    state.runs().age();
    state.region(SpanSize.SMALL).age();
    state.region(SpanSize.LARGE).age();
    state.growth().age();
    ledger.age();
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
      state.runs().putBack(run.startPage(), run.pages(), purged);
    } else if (claim instanceof PurgeClaim.OfSpan span) {
      settle(span.region(), span.span(), purged);
    } else if (claim instanceof PurgeClaim.OfRange range) {
      range.region().settle(range, purged);
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

  private @Nullable PurgeClaim counted(PurgeClaim.@Nullable OfRange claim) {
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
    region.unretire(span);
    span.claimed = true;
    claimedBytes += span.committedBytes();
    return claim;
  }

  private PurgeClaim claimRun(long start, long pages) {
    // Made first: a claim that the Java heap has no room for would never be settled.
    PurgeClaim claim =
        new PurgeClaim.OfRun(start, pages, runBase + start * pageBytes, pages * pageBytes);
    state.runs().claim(start, pages);
    claimedBytes += pages * pageBytes;
    return claim;
  }
}
