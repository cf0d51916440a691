package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetPath;
import dev.weir.memory.guard.HardenedFigures;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.heap.SlabTotals;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageTotals;
import dev.weir.memory.view.BudgetView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pool holds at one moment. The page counters are of the same moment; those of slabs are
 * read while others allocate and free, and exact when nobody does. All in bytes.
 *
 * @param name the pool's name
 * @param limitBytes the most that may be resident
 * @param reservedBytes addresses
 * @param liveBytes pages in use
 * @param dirtyBytes pages free but resident
 * @param promisedBytes pages promised to grants
 * @param peakResidentBytes the most that was ever resident
 * @param purgedBytes given back to the operating system so far
 * @param runs live runs
 * @param runBytes their bytes
 * @param quarantinedBytes pages where hardened blocks have been, not used again yet
 * @param slabs what each size class holds that has slabs
 * @param ownedHeaps heaps of event loops
 * @param budgets the tree of budgets, each node behind its parent: of each node the {@link
 *     #MAX_CHILDREN} children that hold most, as in {@link BudgetView}, which bounds them in all
 * @param guarantee what the reservation guarantees
 */
public record PoolSnapshot(
    String name,
    long limitBytes,
    long reservedBytes,
    long liveBytes,
    long dirtyBytes,
    long promisedBytes,
    long peakResidentBytes,
    long purgedBytes,
    long runs,
    long runBytes,
    long quarantinedBytes,
    List<Slots> slabs,
    int ownedHeaps,
    List<Charge> budgets,
    String guarantee) {
  /** The most children that are listed of one budget: there may be one for every connection. */
  public static final int MAX_CHILDREN = BudgetView.MAX_CHILDREN;

  /**
   * The slabs of one size class.
   *
   * @param slotBytes the size of a slot
   * @param slabs how many slabs
   * @param liveBlocks slots in use
   * @param committedBytes live pages
   */
  public record Slots(int slotBytes, long slabs, long liveBlocks, long committedBytes) {}

  /**
   * One budget.
   *
   * @param path its name behind its ancestors'
   * @param limitBytes its limit, {@link Budget#UNLIMITED} if it has none
   * @param chargedBytes sizes of the live blocks charged to it and below
   * @param heapBytes Java heap buffers
   * @param heldHeapBytes as {@link Budget#heldHeapBytes}: of the root, the arrays behind them
   * @param otherChildren how many of its children are not listed
   * @param otherBytes what is charged to those
   */
  public record Charge(
      String path,
      long limitBytes,
      long chargedBytes,
      long heapBytes,
      long heldHeapBytes,
      int otherChildren,
      long otherBytes) {}

  static PoolSnapshot empty(Budget root, long limitBytes) {
    return new PoolSnapshot(
        root.name(),
        limitBytes,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        List.of(),
        0,
        charges(root),
        "nothing reserved yet");
  }

  static PoolSnapshot of(Budget root, PageHeap pages, @Nullable Hardener hardener, int ownedHeaps) {
    HardenedFigures hardened = HardenedFigures.of(hardener);
    PageTotals totals = pages.totals();
    List<Slots> slabs =
        Arrays.stream(SlabTotals.of(pages))
            .filter(slots -> slots.slabs() > 0)
            .map(slots ->
                new Slots(
                    slots.slotBytes(), slots.slabs(), slots.liveBlocks(), slots.committedBytes()))
            .toList();
    return new PoolSnapshot(
        root.name(),
        totals.limitBytes(),
        totals.reservedBytes(),
        totals.liveBytes(),
        totals.dirtyBytes(),
        totals.promisedBytes(),
        totals.peakResidentBytes(),
        totals.purgedBytes(),
        Math.max(0, totals.runs() - hardened.quarantinedBlocks()),
        Math.max(0, totals.runBytes() - hardened.quarantinedBytes() - hardened.besideBytes()),
        hardened.quarantinedBytes(),
        slabs,
        ownedHeaps,
        charges(root),
        pages.reservation().plan().guarantee());
  }

  private static List<Charge> charges(Budget root) {
    List<Charge> charges = new ArrayList<>();
    collect(BudgetView.ofRoot(root, root.chargedBytes(), 0), root.path(), charges);
    return List.copyOf(charges);
  }

  private static void collect(BudgetView budget, String path, List<Charge> charges) {
    charges.add(
        new Charge(
            path,
            budget.limitBytes(),
            budget.chargedBytes(),
            budget.heapBytes(),
            budget.heldHeapBytes(),
            budget.otherChildren(),
            budget.otherBytes()));
    budget
        .children()
        .forEach(child -> collect(child, BudgetPath.below(path, child.name()), charges));
  }

  /** Live and dirty pages, as {@link Pool#residentBytes}. */
  public long residentBytes() {
    return liveBytes + dirtyBytes;
  }

  /** Sizes of all live blocks. */
  public long liveBlockBytes() {
    return runBytes + slabs.stream().mapToLong(slots -> slots.liveBlocks * slots.slotBytes).sum();
  }

  /** A dump for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        "pool %s: resident %,d of %,d bytes (live %,d, dirty %,d), promised %,d, peak %,d%n"
            .formatted(
                name,
                residentBytes(),
                limitBytes,
                liveBytes,
                dirtyBytes,
                promisedBytes,
                peakResidentBytes));
    text.append(
        "  reserved %,d bytes of addresses: %s; given back so far %,d%n"
            .formatted(reservedBytes, guarantee, purgedBytes));
    text.append(
        "  runs: %,d, %,d bytes; heaps of event loops: %d%n".formatted(runs, runBytes, ownedHeaps));
    if (quarantinedBytes > 0) {
      text.append("  quarantined: %,d bytes%n".formatted(quarantinedBytes));
    }
    if (!slabs.isEmpty()) {
      text.append("  slot bytes    slabs  live blocks  pages, bytes  in use%n".formatted());
    }
    for (Slots slots : slabs) {
      text.append(
          "  %,10d %,8d %,12d %,13d  %5.1f %%%n"
              .formatted(
                  slots.slotBytes,
                  slots.slabs,
                  slots.liveBlocks,
                  slots.committedBytes,
                  slots.committedBytes == 0
                      ? 0.0
                      : 100.0 * slots.liveBlocks * slots.slotBytes / slots.committedBytes));
    }
    for (Charge charge : budgets) {
      text.append(
          "  budget %s: charged %,d, heap buffers %,d%s, limit %s%s%n"
              .formatted(
                  charge.path,
                  charge.chargedBytes,
                  charge.heapBytes,
                  charge.heldHeapBytes == charge.heapBytes
                      ? ""
                      : " in arrays of %,d".formatted(charge.heldHeapBytes),
                  charge.limitBytes == Budget.UNLIMITED
                      ? "none"
                      : "%,d".formatted(charge.limitBytes),
                  charge.otherChildren == 0
                      ? ""
                      : "; %,d of its children not listed, charged %,d"
                          .formatted(charge.otherChildren, charge.otherBytes)));
    }
    return text.toString();
  }
}
