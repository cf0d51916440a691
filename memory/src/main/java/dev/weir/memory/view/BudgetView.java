package dev.weir.memory.view;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.LargestChildren;
import dev.weir.memory.pressure.Pressure;
import java.util.List;

/**
 * A budget and those below it. The figures of a node are of nearly the same moment; sums are exact
 * when nobody charges.
 *
 * @param name its own name
 * @param limitBytes its limit, {@link Budget#UNLIMITED} if it has none; of resident pages for the
 *     root
 * @param chargedBytes sizes of the live blocks charged to it and below
 * @param peakBytes the most that was ever charged; the most that was ever resident for the root
 * @param heapBytes Java heap buffers
 * @param allocatedBytes as {@link Budget#allocatedBytes}
 * @param pressure how close it is to its limit
 * @param children those that hold most, most first, at most {@link #MAX_CHILDREN}
 * @param otherChildren how many more there are
 * @param otherBytes what is charged to those
 */
public record BudgetView(
    String name,
    long limitBytes,
    long chargedBytes,
    long peakBytes,
    long heapBytes,
    long allocatedBytes,
    Pressure pressure,
    List<BudgetView> children,
    int otherChildren,
    long otherBytes) {
  /** The most children that are shown of one budget. */
  public static final int MAX_CHILDREN = 32;

  /** The levels below the root that are shown; what is charged further down shows there. */
  public static final int MAX_DEPTH = 8;

  static BudgetView ofRoot(Budget root, long blockBytes, long peakResidentBytes) {
    return of(root, blockBytes, peakResidentBytes, 0);
  }

  private static BudgetView of(Budget budget, long chargedBytes, long peakBytes, int depth) {
    LargestChildren largest = budget.largestChildren(depth == MAX_DEPTH ? 0 : MAX_CHILDREN);
    List<BudgetView> children =
        largest.top().stream()
            .map(child ->
                of(
                    child.budget(),
                    child.chargedBytes(),
                    child.budget().peakChargedBytes(),
                    depth + 1))
            .toList();
    return new BudgetView(
        budget.name(),
        budget.limitBytes(),
        chargedBytes,
        peakBytes,
        budget.heapBytes(),
        budget.allocatedBytes(),
        budget.pressure(),
        children,
        largest.others(),
        largest.otherBytes());
  }

  /** What is charged to this budget itself, and to none below it. */
  public long ownBytes() {
    long below = children.stream().mapToLong(BudgetView::chargedBytes).sum();
    return Math.max(0, chargedBytes - below - otherBytes);
  }
}
