package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.RobsonPhases;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs that scatter what is live over as many addresses as they can. None of them may be
 * refused while live pages and the request together fit the limit less the reserve.
 */
class AdversaryTest {
  private static final long RESERVE_BYTES = 64 << 10;

  private final ArrayList<Run> live = new ArrayList<>();
  private PageHeap heap;
  private long runBase;
  private long limitPages;
  private long livePages;
  private long highestPage;

  private record Run(long start, long pages) {
    long end() {
      return start + pages;
    }
  }

  private void open(long limitMib) {
    long limitBytes = (limitMib << 20) + RESERVE_BYTES;
    FakeNativeMemory os = new FakeNativeMemory();
    Reservation reservation = Reservation.reserve(os, limitBytes);
    assertThat(reservation.plan().halvings()).isZero();
    heap = PageHeaps.over(os, reservation, limitBytes, RESERVE_BYTES, 1);
    runBase = reservation.runBase();
    limitPages = (limitMib << 20) / heap.pageBytes();
  }

  private Run allocate(long pages) {
    assertThat(livePages + pages)
        .as("the adversary keeps to the bound")
        .isLessThanOrEqualTo(limitPages);
    long address = heap.runs().allocate(pages * heap.pageBytes());
    assertThat(address)
        .as(
            "%d pages beside %d live of %d, scattered over %d",
            pages, livePages, limitPages, highestPage)
        .isNotEqualTo(Runs.FULL);
    Run run = new Run((address - runBase) / heap.pageBytes(), pages);
    livePages += pages;
    highestPage = Math.max(highestPage, run.end());
    return run;
  }

  private void free(Run run) {
    heap.runs()
        .free(runBase + run.start * heap.pageBytes(), run.pages * heap.pageBytes(), Lane.LARGE);
    livePages -= run.pages;
  }

  private void finish(String program, double atLeastTimesTheLimit) {
    heap.checkInvariants();
    double times = (double) highestPage / limitPages;
    System.out.printf(
        "%s: %d pages live at most, spread over %d (%.2f times; log2 n is %.0f)%n",
        program, limitPages, highestPage, times, Math.log(limitPages) / Math.log(2));
    assertThat(times).as("the program is one worth surviving").isGreaterThan(atLeastTimesTheLimit);
    live.forEach(this::free);
    live.clear();
    heap.dirtyPurges().purgeAll();
    assertThat(heap.totals().residentBytes()).isZero();
    assertThat(heap.totals().freeRuns()).isEqualTo(1);
  }

  /** {@link RobsonPhases}, each filled up with blocks of its size. */
  @ParameterizedTest
  @ValueSource(longs = {4, 16, 64})
  void powersOfTwoInPhases(long limitMib) {
    open(limitMib);
    while (livePages < limitPages) {
      live.add(allocate(1));
    }
    RobsonPhases<Run> phases = phases();
    for (long size = 2; size <= limitPages; size *= 2) {
      phases.begin(size);
      while (livePages + size <= limitPages) {
        live.add(allocate(size));
      }
    }
    // What Robson proves of it: half of M for each doubling, whatever the allocator does.
    finish("powers of two, " + limitMib + " MiB", 0.499 * Math.log(limitPages) / Math.log(2));
  }

  private RobsonPhases<Run> phases() {
    return new RobsonPhases<>(live, Run::start, Run::pages, this::free);
  }

  /**
   * A program against first fit alone: sizes grow little by little, and before each everything is
   * freed that leaves no gap of that size, so that what comes next lies behind all that has been
   * used. Of blocks of one size every second stays from the next size on, every fourth once sizes
   * are three times theirs, and so on. That takes about 0.75 · M of new addresses for each doubling
   * of the size, where the powers of two take half of M, and the bound leaves room for M (J. M.
   * Robson, "Worst case fragmentation of first fit and best fit storage allocation strategies", The
   * Computer Journal 20, 1977).
   */
  @ParameterizedTest
  @ValueSource(longs = {4, 16, 64, 256})
  void gapsThatAreTooShort(long limitMib) {
    open(limitMib);
    for (long size = 1; size <= limitPages; size = Math.max(size + 1, size * 33 / 32)) {
      freeWhatLeavesGapsShorterThan(size);
      while (livePages + size <= limitPages) {
        live.add(allocate(size));
      }
    }
    finish("gaps too short, " + limitMib + " MiB", 0.53 * Math.log(limitPages) / Math.log(2));
  }

  private void freeWhatLeavesGapsShorterThan(long pages) {
    live.sort(Comparator.comparingLong(Run::start));
    List<Run> kept = new ArrayList<>();
    long gapBegin = 0;
    for (int i = 0; i < live.size(); i++) {
      Run run = live.get(i);
      if (i + 1 == live.size() || live.get(i + 1).start - gapBegin < pages) {
        free(run);
      } else {
        kept.add(run);
        gapBegin = run.end();
      }
    }
    live.clear();
    live.addAll(kept);
  }

  /**
   * Blocks that grow among the program of powers of two: of what the program gives up in a phase,
   * half is taken by blocks that begin small, pin ranges of every length, and grow step by step.
   * They refuse nothing to runs, nor runs to them, and runs lie no further apart for them.
   */
  @ParameterizedTest
  @ValueSource(longs = {16, 64})
  void blocksThatGrowAmongPowersOfTwo(long limitMib) {
    open(limitMib);
    List<Growing> growing = new ArrayList<>();
    while (livePages < limitPages / 2) {
      live.add(allocate(1));
    }
    while (livePages + LEAST_GROWING_PAGES <= limitPages) {
      growing.add(begin(LEAST_GROWING_PAGES));
    }
    RobsonPhases<Run> phases = phases();
    for (long size = 2; size <= limitPages / 2; size *= 2) {
      phases.begin(size);
      for (int i = growing.size() - 1; i >= 0 && growing.size() > 1; i -= 2) {
        end(growing.remove(i));
      }
      long forGrowth = (limitPages - livePages) / 2;
      for (Growing block : growing) {
        grow(block, block.pages + forGrowth / growing.size());
      }
      while (livePages + size <= limitPages) {
        live.add(allocate(size));
      }
    }
    growing.forEach(this::end);
    finish("growing among powers of two, " + limitMib + " MiB", 0.15 * Math.log(limitPages));
  }

  /** More than 64 KiB, which is what slots have. */
  private static final long LEAST_GROWING_PAGES = 9;

  private static final class Growing {
    GrowthRange range;
    long pages;

    Growing(GrowthRange range, long pages) {
      this.range = range;
      this.pages = pages;
    }
  }

  private Growing begin(long pages) {
    GrowthRange range = heap.growth().tryOpen(pages * heap.pageBytes(), Lane.LARGE);
    assertThat(range).as("%d pages beside %d of %d", pages, livePages, limitPages).isNotNull();
    livePages += pages;
    return new Growing(range, pages);
  }

  private void grow(Growing block, long pages) {
    long bytes = pages * heap.pageBytes();
    if (bytes > block.range.rangeBytes()) {
      block.range = heap.growth().tryMove(block.range, bytes, Lane.LARGE);
      assertThat(block.range).as("%d pages beside %d", pages, livePages).isNotNull();
    } else if (pages > block.pages) {
      assertThat(heap.growth().tryExtend(block.range, bytes, Lane.LARGE)).isTrue();
    }
    livePages += pages - block.pages;
    block.pages = pages;
  }

  private void end(Growing block) {
    heap.growth().close(block.range);
    livePages -= block.pages;
  }

  /** Every hole one page too short for what comes next. */
  @Test
  void combsOfEverySize() {
    open(16);
    for (long teeth = 1; teeth <= limitPages / 4; teeth = teeth * 3 / 2 + 1) {
      List<Run> comb = new ArrayList<>();
      while (livePages + teeth <= limitPages) {
        comb.add(allocate(teeth));
      }
      for (int i = 0; i < comb.size(); i++) {
        if (i % 2 == 0) {
          free(comb.get(i));
        } else {
          live.add(comb.get(i));
        }
      }
      while (livePages + teeth + 1 <= limitPages) {
        live.add(allocate(teeth + 1));
      }
      for (int i = live.size() - 1; i >= 0; i -= 2) {
        free(live.remove(i));
      }
    }
    while (livePages < limitPages) {
      live.add(allocate(1));
    }
    finish("combs", 1.0);
  }
}
