package dev.weir.memory.view;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.guard.HardenedFigures;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageTotals;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool at one moment, for those who watch it. The page counters are of the same moment; each slab
 * and each stretch of pages is read at a moment of its own. The sums of a heap and of a class are
 * consistent whatever threads do (pages = blocks + free slots + uncommitted), and all are exact
 * when nobody allocates or frees. All in bytes.
 *
 * @param name the pool's name
 * @param limitBytes the most that may be resident
 * @param reservedBytes addresses
 * @param liveBytes pages in use
 * @param dirtyBytes pages free but resident
 * @param peakResidentBytes the most that was ever resident
 * @param purgedBytes given back to the operating system so far
 * @param blocks live blocks
 * @param blockBytes their sizes
 * @param misuses mistakes in the use of hardened blocks, found so far
 * @param waste what holds no block
 * @param classes the size classes that have slabs, smallest first
 * @param heaps the heaps that have slabs, those with most pages first, at most {@link #MAX_HEAPS}
 * @param budgets the tree of budgets
 * @param pages what the window asked for
 */
public record PoolView(
    String name,
    long limitBytes,
    long reservedBytes,
    long liveBytes,
    long dirtyBytes,
    long peakResidentBytes,
    long purgedBytes,
    long blocks,
    long blockBytes,
    long misuses,
    Waste waste,
    List<ClassView> classes,
    List<HeapView> heaps,
    BudgetView budgets,
    PageMap pages) {
  /** The most heaps that are shown. */
  public static final int MAX_HEAPS = 64;

  /**
   * Looks at a pool. Any thread; stops nobody.
   *
   * @param heap the pool's pages, null before its first allocation
   * @param hardener what hardens its blocks, null if nothing does
   */
  @SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
  public static PoolView of(
      Budget root, @Nullable PageHeap heap, @Nullable Hardener hardener, MapWindow window) {
    if (heap == null) {
      return new PoolView(
          root.name(),
          root.limitBytes(),
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          new Waste(0, 0, 0, 0, 0, 0, 0, 0),
          List.of(),
          List.of(),
          BudgetView.ofRoot(root, 0, 0),
          new PageMap(List.of()));
    }
    PoolSurvey survey = new PoolSurvey(new PageMapBuilder(window, heap.pageBytes()));
    heap.visitPages(survey);
    PageTotals totals = heap.totals();
    HardenedFigures hardened = HardenedFigures.of(hardener);
    long runs = Math.max(0, totals.runs() - hardened.quarantinedBlocks());
    long runBytes =
        Math.max(0, totals.runBytes() - hardened.quarantinedBytes() - hardened.besideBytes());
    SlabSum slabs = survey.slabs();
    long blockBytes = runBytes + slabs.blockBytes();
    List<ClassView> classes = survey.classes();
    long rounding = runs * (heap.pageBytes() - 1);
    for (ClassView each : classes) {
      rounding += each.roundingAtMostBytes();
    }
    return new PoolView(
        root.name(),
        totals.limitBytes(),
        totals.reservedBytes(),
        totals.liveBytes(),
        totals.dirtyBytes(),
        totals.peakResidentBytes(),
        totals.purgedBytes(),
        runs + slabs.blocks(),
        blockBytes,
        hardened.misuses(),
        new Waste(
            slabs.freeSlotBytes(),
            slabs.uncommittedBytes(),
            hardened.quarantinedBytes(),
            hardened.besideBytes(),
            totals.dirtyBytes(),
            rounding,
            totals.promisedBytes(),
            survey.growthAddressBytes()),
        classes,
        survey.heaps(MAX_HEAPS),
        BudgetView.ofRoot(root, blockBytes, totals.peakResidentBytes()),
        survey.pages());
  }

  /** Live and dirty pages: what the limit limits. */
  public long residentBytes() {
    return liveBytes + dirtyBytes;
  }
}
