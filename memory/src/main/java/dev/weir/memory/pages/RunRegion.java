package dev.weir.memory.pages;

import java.util.function.BooleanSupplier;

/**
 * The region that runs are cut from: its free runs and, of their pages, the dirty ones and the aged
 * among those.
 *
 * <p>Units are pages, counted from the start of the region. A page is live (in nobody's index
 * here), free and dirty, or free and clean. Every free run is maximal. Not thread-safe: the page
 * heap's lock guards it.
 */
/*
 * What needs room in the Java heap takes it before anything is changed: where there is none, nothing has happened. What
 * a run needs when it comes back is taken with it: a release must not fail.
 *
 * Claimed pages stay in the index of free runs, and are cut out of it when a request comes upon them: hardly one does in
 * the time of a system call, and to take each out and to join it again would be most of what a purge does under the lock.
 */
final class RunRegion {
  /** No free run is long enough. */
  static final long NONE = FreeRuns.NONE;

  /** 128 KiB of pages of 4 KiB, which take a system call ten times as long as an empty one. */
  private static final int SHORT_STRETCH_PAGES = 32;

  private final long totalPages;
  private final FreeRuns freeRuns = new FreeRuns();
  private final PageBits dirty = new PageBits();

  /** Pages that were dirty at the last {@link #age} and have not been given since. */
  private final PageBits aged = new PageBits();

  /** Behind the next page that {@link #nextToPurge} looks at. */
  private long hand;

  /** The pages of the stretch that it has found last. */
  private long foundPages;

  private long freePages;

  /** Ranges that will be {@linkplain #putBack put back}. */
  private int claims;

  /** Those of them that are in the index of free runs still. */
  private final FreeClaims freeClaims = new FreeClaims();

  /** The pages of the others. */
  private long cutPages;

  /**
   * Ranges that were taken and not given back. Two free runs have a live or a claimed range between
   * them, so there is at most one free run more than there are such ranges.
   */
  private int taken;

  RunRegion(long totalPages) {
    this.totalPages = totalPages;
    freeRuns.seek(0);
    freeRuns.insertNext(0, totalPages);
    freePages = totalPages;
    hand = totalPages;
  }

  long totalPages() {
    return totalPages;
  }

  long freePages() {
    return freePages;
  }

  long dirtyPages() {
    return dirty.cardinality();
  }

  int freeRunCount() {
    return freeRuns.size();
  }

  boolean isDirty(long page) {
    return dirty.get(page);
  }

  /**
   * The lowest place for {@code pages} none of which is claimed, or {@link #NONE}: {@link #take}
   * may follow.
   */
  long firstFit(long pages) {
    long start = freeRuns.firstFit(pages);
    while (start != NONE) {
      int claim = freeClaims.overlapping(start, start + pages);
      if (claim == FreeClaims.NONE) {
        return start;
      }
      cutClaim(freeClaims.start(claim), freeClaims.end(claim));
      freeClaims.remove(claim);
      start = freeRuns.firstFit(pages);
    }
    return NONE;
  }

  /** The claimed pages that no request finds. */
  long cutPages() {
    return cutPages;
  }

  /** How many pages of a range are dirty. */
  long dirtyIn(long start, long pages) {
    return dirty.count(start, pages);
  }

  /** The end of the last page that is live or dirty: what lies behind is one clean run. */
  long extentPages() {
    long last = freeRuns.seek(totalPages - 1);
    long end = last == NONE ? 0 : last + freeRuns.length();
    if (end < totalPages) {
      return totalPages;
    }
    long extent = Math.max(last, dirty.last() + 1);
    for (int i = 0; i < freeClaims.count(); i++) {
      extent = Math.max(extent, freeClaims.end(i));
    }
    return extent;
  }

  /** The first free run that ends behind a page, or {@link #NONE}. */
  long freeRunFrom(long page) {
    long run = freeRuns.seek(page);
    return run != NONE && run + freeRuns.length() > page ? run : freeRuns.nextStart();
  }

  /** The first free run that starts behind a page, or {@link #NONE}. */
  long freeRunAfter(long page) {
    freeRuns.seek(page);
    return freeRuns.nextStart();
  }

  long freeRunLength(long run) {
    return freeRuns.seek(run) == run ? freeRuns.length() : 0;
  }

  /**
   * Copies the dirty bits of the {@link PageBits#CHUNK_BITS} pages among which a page is: of
   * claimed ones too, which are resident until they are put back.
   */
  void copyDirtyChunk(long page, long[] target) {
    dirty.copyChunk(page, target);
    long chunkStart = page - page % PageBits.CHUNK_BITS;
    for (int i = 0; i < freeClaims.count(); i++) {
      PageBits.setInChunk(target, freeClaims.start(i) - chunkStart, freeClaims.end(i) - chunkStart);
    }
  }

  /**
   * Takes a range out of the free run that holds it, which {@link #giveDirty} and {@link
   * #giveClean} need nothing from the Java heap for; returns how many of its pages were dirty.
   */
  long take(long start, long pages) {
    if (freeClaims.overlapping(start, start + pages) != FreeClaims.NONE) {
      throw new IllegalStateException(
          "pages " + start + " to " + (start + pages) + " are being purged, in part or whole");
    }
    dirty.makeRoom(start, pages);
    aged.makeRoom(start, pages);
    makeRoomForAnother();
    long dirtyPages = cut(start, pages);
    taken++;
    return dirtyPages;
  }

  /** Takes a range of dirty pages, which {@link #putBack} needs nothing from the Java heap for. */
  void claim(long start, long pages) {
    makeRoomForAnother();
    if (freeClaims.tryAdd(start, start + pages)) {
      dirty.clear(start, pages);
    } else {
      cutClaim(start, start + pages);
    }
    claims++;
  }

  private void cutClaim(long start, long end) {
    cut(start, end - start);
    cutPages += end - start;
  }

  /** Whatever of this is taken or comes back, the tree has room for it. */
  private void makeRoomForAnother() {
    freeRuns.makeRoomFor(taken + claims + 2);
  }

  private long cut(long start, long pages) {
    long run = freeRuns.isAt(start) ? start : freeRuns.seek(start);
    long end = start + pages;
    long runEnd = run == NONE ? 0 : run + freeRuns.length();
    if (run == NONE || runEnd < end) {
      throw new IllegalStateException("pages " + start + " to " + end + " are not all free");
    }
    if (run < start) {
      freeRuns.resize(run, start - run);
      if (end < runEnd) {
        freeRuns.insertNext(end, runEnd - end);
      }
    } else if (end < runEnd) {
      freeRuns.resize(end, runEnd - end);
    } else {
      freeRuns.remove();
    }
    freePages -= pages;
    // Who is aged is asked of dirty pages only: these get their youth when they come back.
    return dirty.clear(start, pages);
  }

  /** Gives back a range whose pages are all resident. */
  void giveDirty(long start, long pages) {
    giveClean(start, pages);
    dirty.set(start, pages);
    aged.clear(start, pages);
  }

  /** Gives back a range none of whose pages is resident. */
  void giveClean(long start, long pages) {
    join(start, pages);
    taken--;
  }

  /**
   * Ends a claim: its pages are free again, clean, or dirty and as old as they were; young, if
   * there has been an {@link #age} meanwhile.
   */
  void putBack(long start, long pages, boolean clean) {
    claims--;
    int free = freeClaims.overlapping(start, start + pages);
    if (free == FreeClaims.NONE) {
      join(start, pages);
      cutPages -= pages;
    } else {
      freeClaims.remove(free);
    }
    if (!clean) {
      dirty.set(start, pages);
    }
  }

  private void join(long start, long pages) {
    long end = start + pages;
    long before = freeRuns.seek(start);
    long beforeEnd = before == NONE ? NONE : before + freeRuns.length();
    long after = freeRuns.nextStart();
    if (beforeEnd > start || (after != NONE && after < end)) {
      throw new IllegalStateException(
          "pages " + start + " to " + end + " are free already, in part or whole");
    }
    if (after == end) {
      joinNext(start, beforeEnd == start ? before : NONE);
    } else if (beforeEnd == start) {
      freeRuns.resize(before, end - before);
    } else {
      freeRuns.insertNext(start, pages);
    }
    freePages += pages;
  }

  /** Lets the run behind the cursor's begin at {@code start}, or at the cursor's run if joined. */
  private void joinNext(long start, long joined) {
    if (joined == NONE) {
      freeRuns.moveNext();
      freeRuns.resize(start, freeRuns.start() + freeRuns.length() - start);
    } else {
      freeRuns.swallowNext();
    }
  }

  /**
   * The start of a stretch of dirty pages to purge next, at most {@code maxPages} of them, or
   * {@link #NONE} if no page is dirty.
   *
   * <p>A hand goes round the region, from high addresses to low. It passes over short stretches in
   * search of a longer one, since a purge costs a call however short it is.
   *
   * @param mayPass whether one more short stretch may be passed over
   */
  long nextToPurge(long maxPages, BooleanSupplier mayPass) {
    long shortest = Math.min(maxPages, SHORT_STRETCH_PAGES);
    while (true) {
      long last = dirty.lastBefore(hand);
      if (last < 0) {
        hand = totalPages;
        last = dirty.lastBefore(hand);
        if (last < 0) {
          return NONE;
        }
      }
      foundPages = dirty.lengthBackward(last, maxPages);
      hand = last - foundPages + 1;
      if (foundPages >= shortest || !mayPass.getAsBoolean()) {
        return hand;
      }
    }
  }

  /** How many pages the stretch has that {@link #nextToPurge} has just found. */
  long foundPages() {
    return foundPages;
  }

  /** The first dirty page at or after {@code from} that is aged, or {@link #NONE}. */
  long nextAged(long from) {
    return dirty.nextSetIn(from, aged);
  }

  /**
   * How many consecutive pages from {@code start} on are dirty and aged, at most {@code maxPages}.
   */
  long agedLengthAt(long start, long maxPages) {
    return dirty.lengthIn(start, maxPages, aged);
  }

  /** Ends the youth of every dirty page. */
  void age() {
    aged.copy(dirty);
  }

  /**
   * Evaluates: runs are maximal and do not overlap, the totals add up, only free pages are dirty.
   */
  void checkInvariants() {
    freeRuns.checkInvariants();
    long free = 0;
    long dirtyFree = 0;
    long previousEnd = NONE;
    for (long run = freeRunAfter(NONE); run != NONE; run = freeRunAfter(run)) {
      long length = freeRunLength(run);
      if (length <= 0 || run <= previousEnd || run + length > totalPages) {
        throw new AssertionError(
            "free run " + run + "+" + length + " overlaps, touches or leaves the region");
      }
      previousEnd = run + length;
      free += length;
      dirtyFree += dirty.count(run, length);
    }
    if (cutPages < 0 || freeClaims.count() > claims) {
      throw new AssertionError(
          cutPages + " pages cut, " + freeClaims.count() + " of " + claims + " claims are free");
    }
    for (int i = 0; i < freeClaims.count(); i++) {
      long start = freeClaims.start(i);
      long end = freeClaims.end(i);
      long run = freeRunFrom(start);
      if (run == NONE
          || run > start
          || run + freeRunLength(run) < end
          || dirty.count(start, end - start) > 0) {
        throw new AssertionError("claimed pages " + start + " to " + end + " are not all free");
      }
    }
    if (free != freePages || dirtyFree != dirty.cardinality()) {
      throw new AssertionError(
          "free pages "
              + free
              + " (counted "
              + freePages
              + "), dirty among them "
              + dirtyFree
              + " (counted "
              + dirty.cardinality()
              + ")");
    }
  }
}
