package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.FakeNativeMemory.Purged;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * What a page heap must do, said naively: a state for every page of the run region, found by
 * looking at all of them, and lists of spans. It learns what was purged from the fake operating
 * system, and checks that only dirty pages were.
 */
final class PageModel {
  private enum Page {
    CLEAN,
    DIRTY,
    LIVE
  }

  private static final int OS_PAGE_BYTES = 4096;

  final FakeNativeMemory os = new FakeNativeMemory(OS_PAGE_BYTES);
  final PageHeap heap;

  private final long limitBytes;
  private final long reserveBytes;
  private final long pageBytes;
  private final long runBase;
  private final Page[] pages;
  private final Set<Integer> young = new HashSet<>();
  private final Set<TestSpan> open = new HashSet<>();
  private final Map<SpanSize, Deque<TestSpan>> retired = new EnumMap<>(SpanSize.class);
  private final Set<TestSpan> youngSpans = new HashSet<>();
  private long promisedBytes;

  PageModel(long limitBytes, long reserveBytes, int kinds) {
    Reservation reservation = Reservation.reserve(os, limitBytes);
    this.limitBytes = limitBytes;
    this.reserveBytes = reserveBytes;
    this.pageBytes = reservation.plan().pageBytes();
    this.runBase = reservation.runBase();
    this.pages = new Page[Math.toIntExact(reservation.plan().runPages())];
    Arrays.fill(pages, Page.CLEAN);
    for (SpanSize size : SpanSize.values()) {
      retired.put(size, new ArrayDeque<>());
    }
    this.heap = PageHeaps.over(os, reservation, limitBytes, reserveBytes, kinds);
  }

  int pageOf(long address) {
    return Math.toIntExact((address - runBase) / pageBytes);
  }

  // Sums.

  long liveBytes() {
    return count(Page.LIVE) * pageBytes + open.stream().mapToLong(Span::committedBytes).sum();
  }

  private long dirtyBytes() {
    return count(Page.DIRTY) * pageBytes
        + retired.values().stream().flatMap(Deque::stream).mapToLong(Span::committedBytes).sum();
  }

  private long count(Page state) {
    long count = 0;
    for (Page page : pages) {
      count += page == state ? 1 : 0;
    }
    return count;
  }

  boolean admits(long bytes, Lane lane) {
    long headroomBytes = Math.max(limitBytes / 128, Math.min(limitBytes / 16, 2 << 20));
    long ceiling =
        limitBytes
            - (lane == Lane.SMALL ? 0 : reserveBytes)
            - (lane == Lane.PROMISE ? headroomBytes + limitBytes / 16 : 0);
    return liveBytes() + promisedBytes + bytes <= ceiling;
  }

  /** Address-ordered first fit, the long way. */
  int firstFit(int count) {
    int free = 0;
    for (int page = 0; page < pages.length; page++) {
      free = pages[page] == Page.LIVE ? 0 : free + 1;
      if (free == count) {
        return page - count + 1;
      }
    }
    return -1;
  }

  private long cleanBytesIn(int from, int count) {
    long clean = 0;
    for (int page = from; page < from + count; page++) {
      clean += pages[page] == Page.CLEAN ? pageBytes : 0;
    }
    return clean;
  }

  // Operations: each does the same to the page heap and to the model.

  /** Returns the first page, or -1. */
  int allocateRun(int count) {
    return allocateRun(count, /* promised= */ false);
  }

  int allocatePromisedRun(int count) {
    return allocateRun(count, /* promised= */ true);
  }

  private int allocateRun(int count, boolean promised) {
    boolean admitted = promised || admits(count * pageBytes, Lane.LARGE);
    int expected = admitted ? firstFit(count) : -1;
    long excess =
        expected < 0 ? 0 : liveBytes() + dirtyBytes() + cleanBytesIn(expected, count) - limitBytes;
    long address =
        promised
            ? heap.runs().allocatePromised(count * pageBytes)
            : heap.runs().allocate(count * pageBytes);
    assertThat(address)
        .as("place of %d pages", count)
        .isEqualTo(expected < 0 ? Runs.FULL : runBase + expected * pageBytes);
    learnPurges(excess, /* agedOnly= */ false);
    if (expected >= 0) {
      makeLive(expected, count);
      promisedBytes -= promised ? count * pageBytes : 0;
    }
    return expected;
  }

  void freeRun(int start, int count) {
    heap.runs().free(runBase + start * pageBytes, count * pageBytes, Lane.LARGE);
    makeDirty(start, count);
  }

  boolean tryPromise(int count) {
    boolean expected = admits(count * pageBytes, Lane.PROMISE);
    assertThat(heap.promises().tryMake(count * pageBytes, Lane.PROMISE))
        .as("%d pages promised, with %d live and %d promised", count, liveBytes(), promisedBytes)
        .isEqualTo(expected);
    promisedBytes += expected ? count * pageBytes : 0;
    return expected;
  }

  void returnPromise(int count) {
    heap.promises().giveBack(count * pageBytes, Lane.PROMISE);
    promisedBytes -= count * pageBytes;
  }

  /** Takes back the newest retired span of the kind, or opens one; null if neither can be had. */
  TestSpan open(SpanSize size, int kind) {
    TestSpan newest = null;
    for (TestSpan span : retired.get(size)) {
      newest = span.kind() == kind ? span : newest;
    }
    boolean takes = newest != null && admits(bytesAfterFirstCommit(newest), size.lane());
    Span taken = heap.takeRetired(size, kind);
    assertThat(taken).isSameAs(takes ? newest : null);
    if (takes) {
      retired.get(size).remove(newest);
      youngSpans.remove(newest);
      open.add(newest);
      return newest;
    }
    TestSpan victim = retired.get(size).peekFirst();
    TestSpan fresh = new TestSpan(size, kind);
    boolean inherits = victim != null && admits(bytesAfterFirstCommit(victim), size.lane());
    inherits = inherits && victim.committed().next(fresh.usablePages()) == PageSet.MAX_PAGES;
    assertThat(heap.open(fresh)).isTrue();
    if (inherits) {
      assertThat(fresh.address()).isEqualTo(victim.address());
      assertThat(fresh.committedBytes()).isEqualTo(victim.committedBytes());
      retired.get(size).remove(victim);
      youngSpans.remove(victim);
    } else {
      assertThat(fresh.committedBytes()).isZero();
    }
    assertThat(open).noneMatch(span -> span.address() == fresh.address());
    open.add(fresh);
    return fresh;
  }

  /** What a retired span, or one in its place, has live once its first page is. */
  private static long bytesAfterFirstCommit(TestSpan retired) {
    return retired.committedBytes() + (retired.isReady() ? 0 : OS_PAGE_BYTES);
  }

  void commit(TestSpan span, int from, int to) {
    long more = (to - from - span.committed().countIn(from, to)) * (long) OS_PAGE_BYTES;
    boolean expected = admits(more, span.size().lane());
    long excess = expected ? liveBytes() + dirtyBytes() + more - limitBytes : 0;
    assertThat(heap.commit(span, from, to)).isEqualTo(expected && excess <= 0);
    if (expected && excess > 0) {
      assertThat(heap.dirtyPurges().makeRoom(more, span.size().lane())).isTrue();
      learnPurges(excess, /* agedOnly= */ false);
      assertThat(heap.commit(span, from, to)).isTrue();
    } else {
      assertThat(os.takePurges()).isEmpty();
    }
    if (expected) {
      assertThat(span.committed().containsAll(from, to)).isTrue();
      os.touch(span.address() + (long) from * OS_PAGE_BYTES, (to - from) * (long) OS_PAGE_BYTES);
    }
  }

  void purgeInside(TestSpan span, PageSet free) {
    int before = span.committed().size();
    heap.purgeInside(span, free);
    assertThat(span.committed().size()).isEqualTo(before - free.size());
    long purged = os.takePurges().stream().mapToLong(Purged::bytes).sum();
    assertThat(purged).isEqualTo((long) free.size() * OS_PAGE_BYTES);
  }

  void retire(TestSpan span) {
    boolean kept = span.committedBytes() > 0;
    heap.retire(span);
    open.remove(span);
    if (kept) {
      retired.get(span.size()).addLast(span);
      youngSpans.add(span);
    }
  }

  void purgeAged() {
    heap.dirtyPurges().purgeAged();
    learnPurges(0, /* agedOnly= */ true);
    for (int page = 0; page < pages.length; page++) {
      assertThat(pages[page] == Page.DIRTY && !young.contains(page))
          .as("aged page %d", page)
          .isFalse();
    }
    for (Deque<TestSpan> each : retired.values()) {
      assertThat(youngSpans).containsAll(each);
    }
    young.clear();
    youngSpans.clear();
  }

  void purgeDownTo(long keepBytes) {
    long excess = dirtyBytes() - keepBytes;
    heap.dirtyPurges().purgeDownTo(keepBytes);
    learnPurges(excess, /* agedOnly= */ false);
  }

  /** Everything that can be compared. */
  void check() {
    heap.checkInvariants();
    PageTotals totals = heap.totals();
    assertThat(totals.liveBytes()).as("live").isEqualTo(liveBytes());
    assertThat(totals.dirtyBytes()).as("dirty").isEqualTo(dirtyBytes());
    assertThat(totals.promisedBytes()).as("promised").isEqualTo(promisedBytes);
    assertThat(totals.runBytes()).isEqualTo(count(Page.LIVE) * pageBytes);
    assertThat(totals.residentBytes()).isLessThanOrEqualTo(limitBytes);
    assertThat(os.residentBytes())
        .as("resident, as the operating system sees it")
        .isEqualTo(totals.residentBytes());
  }

  private void makeLive(int from, int count) {
    for (int page = from; page < from + count; page++) {
      assertThat(pages[page]).as("page %d", page).isNotEqualTo(Page.LIVE);
      pages[page] = Page.LIVE;
      young.remove(page);
    }
    os.touch(runBase + from * pageBytes, count * pageBytes);
  }

  private void makeDirty(int from, int count) {
    for (int page = from; page < from + count; page++) {
      assertThat(pages[page]).as("page %d", page).isEqualTo(Page.LIVE);
      pages[page] = Page.DIRTY;
      young.add(page);
    }
  }

  /**
   * Takes over what was purged: dirty pages only, as much as was needed, nothing if nothing was.
   */
  private void learnPurges(long neededBytes, boolean agedOnly) {
    long purgedBytes = 0;
    for (Purged purge : os.takePurges()) {
      purgedBytes +=
          purge.address() >= runBase ? purgedRun(purge, agedOnly) : purgedSpan(purge, agedOnly);
    }
    if (!agedOnly) {
      assertThat(purgedBytes).as("purged").isGreaterThanOrEqualTo(Math.max(0, neededBytes));
      assertThat(neededBytes <= 0 && purgedBytes > 0).as("purged without need").isFalse();
    }
  }

  private long purgedRun(Purged purge, boolean agedOnly) {
    int from = pageOf(purge.address());
    int to = pageOf(purge.address() + purge.bytes());
    for (int page = from; page < to; page++) {
      assertThat(pages[page]).as("purged page %d", page).isEqualTo(Page.DIRTY);
      assertThat(agedOnly && young.contains(page)).as("young page %d purged", page).isFalse();
      pages[page] = Page.CLEAN;
      young.remove(page);
    }
    return purge.bytes();
  }

  private long purgedSpan(Purged purge, boolean agedOnly) {
    for (Deque<TestSpan> each : retired.values()) {
      Iterator<TestSpan> oldestFirst = each.iterator();
      TestSpan oldest = oldestFirst.hasNext() ? oldestFirst.next() : null;
      if (oldest != null && oldest.address() == purge.address()) {
        assertThat(agedOnly && youngSpans.contains(oldest)).as("young %s purged", oldest).isFalse();
        oldestFirst.remove();
        youngSpans.remove(oldest);
        return oldest.committedBytes();
      }
    }
    throw new AssertionError("%s is not the oldest retired span of its size".formatted(purge));
  }
}
