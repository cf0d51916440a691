package dev.weir.memory.pages;

import dev.weir.memory.sync.SpinLock;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One walk through the pages of a reservation: copies what a step needs under the page heap's lock,
 * and tells the visitor without it. A step is bounded, whatever the size of the pool.
 */
final class PageWalk {
  /** The most spans or ranges that are copied under the lock: some ten microseconds. */
  private static final int SPANS_A_STEP = 128;

  /** The most free runs that are looked up under the lock: some ten microseconds. */
  private static final int RUNS_A_STEP = 64;

  private final SpinLock lock;
  private final PageState state;
  private final int osPageBytes;
  private final PageVisitor visitor;

  PageWalk(SpinLock lock, PageState state, int osPageBytes, PageVisitor visitor) {
    this.lock = lock;
    this.state = state;
    this.osPageBytes = osPageBytes;
    this.visitor = visitor;
  }

  void walk() {
    ReservationPlan plan = state.plan();
    spans("small slabs", SpanSize.SMALL, plan.smallSpans());
    spans("large slabs", SpanSize.LARGE, plan.largeSpans());
    runs(plan);
    for (int tier = 0; tier < plan.growth().tiers().size(); tier++) {
      ranges(tier, plan.growth().tiers().get(tier));
    }
  }

  private void spans(String name, SpanSize size, int capacity) {
    SpanRegion region = state.region(size);
    int extent;
    lock.lock();
    try {
      extent = region.extent();
    } finally {
      lock.unlock();
    }
    long spanBytes = size.bytes();
    if (!visitor.beginRegion(name, capacity * spanBytes, extent * spanBytes)) {
      return;
    }
    @Nullable Span[] spans = new Span[SPANS_A_STEP];
    boolean[] open = new boolean[SPANS_A_STEP];
    PageSet[] committed = new PageSet[SPANS_A_STEP];
    for (int i = 0; i < SPANS_A_STEP; i++) {
      committed[i] = new PageSet();
    }
    for (int first = 0; first < extent; first += SPANS_A_STEP) {
      int count = Math.min(SPANS_A_STEP, extent - first);
      lock.lock();
      try {
        for (int i = 0; i < count; i++) {
          Span span = region.at(first + i);
          spans[i] = span;
          if (span != null) {
            open[i] = span.isOpen();
            committed[i].copyFrom(span.committed());
          }
        }
      } finally {
        lock.unlock();
      }
      for (int i = 0; i < count; i++) {
        Span span = spans[i];
        if (span != null) {
          tellOfSpan((first + i) * spanBytes, span, open[i], committed[i]);
        }
      }
    }
  }

  private void tellOfSpan(long offset, Span span, boolean open, PageSet committed) {
    if (open) {
      visitor.slab(offset, span, committed, osPageBytes);
      return;
    }
    for (int from = committed.next(0); from < PageSet.MAX_PAGES; ) {
      int to = committed.nextAbsent(from);
      visitor.dirty(offset + (long) from * osPageBytes, offset + (long) to * osPageBytes);
      from = committed.next(to);
    }
  }

  private void runs(ReservationPlan plan) {
    RunRegion runs = state.runs();
    long pageBytes = plan.pageBytes();
    long extent;
    lock.lock();
    try {
      extent = runs.extentPages();
    } finally {
      lock.unlock();
    }
    if (!visitor.beginRegion("runs", runs.totalPages() * pageBytes, extent * pageBytes)) {
      return;
    }
    long[] starts = new long[RUNS_A_STEP];
    long[] lengths = new long[RUNS_A_STEP];
    long[] dirtyWords = new long[PageBits.CHUNK_WORDS];
    for (long page = 0; page < extent; ) {
      long chunkStart = page - page % PageBits.CHUNK_BITS;
      long end = Math.min(extent, chunkStart + PageBits.CHUNK_BITS);
      int count = 0;
      lock.lock();
      try {
        runs.copyDirtyChunk(page, dirtyWords);
        for (long run = runs.freeRunFrom(page);
            run != RunRegion.NONE && run < end;
            run = runs.freeRunAfter(run)) {
          if (count == RUNS_A_STEP) {
            end = run;
            break;
          }
          starts[count] = run;
          lengths[count] = runs.freeRunLength(run);
          count++;
        }
      } finally {
        lock.unlock();
      }
      BitSet dirty = BitSet.valueOf(dirtyWords);
      long live = page;
      for (int i = 0; i < count; i++) {
        long from = Math.max(page, starts[i]);
        long to = Math.min(end, starts[i] + lengths[i]);
        tellOfRuns(live, from, pageBytes);
        tellOfDirty(chunkStart, from, to, dirty, pageBytes);
        live = to;
      }
      tellOfRuns(live, end, pageBytes);
      page = end;
    }
  }

  private void tellOfRuns(long fromPage, long toPage, long pageBytes) {
    if (fromPage < toPage) {
      visitor.liveRuns(fromPage * pageBytes, toPage * pageBytes);
    }
  }

  private void tellOfDirty(
      long chunkStart, long fromPage, long toPage, BitSet dirty, long pageBytes) {
    int end = (int) (toPage - chunkStart);
    int from = dirty.nextSetBit((int) (fromPage - chunkStart));
    while (from >= 0 && from < end) {
      int to = Math.min(end, dirty.nextClearBit(from));
      visitor.dirty((chunkStart + from) * pageBytes, (chunkStart + to) * pageBytes);
      from = dirty.nextSetBit(to);
    }
  }

  private void ranges(int tier, GrowthPlan.Tier plan) {
    List<GrowthRange> ranges = state.growth().ranges(tier);
    int extent;
    lock.lock();
    try {
      extent = ranges.size();
    } finally {
      lock.unlock();
    }
    String name = "ranges of ".concat(Long.toString(plan.rangeBytes() >> 20)).concat(" MiB");
    if (!visitor.beginRegion(name, plan.bytes(), extent * plan.rangeBytes())) {
      return;
    }
    long[] live = new long[SPANS_A_STEP];
    long[] resident = new long[SPANS_A_STEP];
    for (int first = 0; first < extent; first += SPANS_A_STEP) {
      int count = Math.min(SPANS_A_STEP, extent - first);
      lock.lock();
      try {
        for (int i = 0; i < count; i++) {
          GrowthRange range = ranges.get(first + i);
          live[i] = range.liveBytes;
          resident[i] = range.residentBytes;
        }
      } finally {
        lock.unlock();
      }
      for (int i = 0; i < count; i++) {
        if (resident[i] > 0) {
          visitor.range((first + i) * plan.rangeBytes(), plan.rangeBytes(), live[i], resident[i]);
        }
      }
    }
  }
}
