package dev.weir.memory.view;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.LargestChildren;
import dev.weir.memory.pressure.Pressure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * A budget and those below it: level by level the largest children of each, {@link #MAX_BUDGETS} in
 * all. The figures of a node are of nearly the same moment; sums are exact when nobody charges.
 *
 * @param number as {@link Budget#number}
 * @param name its own name, which others may have too
 * @param limitBytes its limit, {@link Budget#UNLIMITED} if it has none; of resident pages for the
 *     root
 * @param chargedBytes sizes of the live blocks charged to it and below
 * @param peakBytes the most that was ever charged; the most that was ever resident for the root
 * @param heapBytes Java heap buffers
 * @param heldHeapBytes as {@link Budget#heldHeapBytes}
 * @param allocatedBytes as {@link Budget#allocatedBytes}
 * @param pressure how close it is to its limit
 * @param children those that hold most, most first, at most {@link #MAX_CHILDREN}; fewer where
 *     {@link #MAX_BUDGETS} are shown
 * @param otherChildren how many more there are
 * @param otherBytes what is charged to those
 */
public record BudgetView(
    int number,
    String name,
    long limitBytes,
    long chargedBytes,
    long peakBytes,
    long heapBytes,
    long heldHeapBytes,
    long allocatedBytes,
    Pressure pressure,
    List<BudgetView> children,
    int otherChildren,
    long otherBytes) {
  /** The most children that are shown of one budget. */
  public static final int MAX_CHILDREN = 32;

  /** The levels below the root that are shown; what is charged further down shows there. */
  public static final int MAX_DEPTH = 8;

  /** The most budgets that are shown: to find each takes time for all its children. */
  public static final int MAX_BUDGETS = 512;

  /**
   * The tree of a pool.
   *
   * @param root its root budget
   * @param blockBytes the sizes of all its live blocks
   * @param peakResidentBytes the most that was ever resident
   */
  public static BudgetView ofRoot(Budget root, long blockBytes, long peakResidentBytes) {
    Outline top = new Outline(root, blockBytes, 0);
    Queue<Outline> next = new ArrayDeque<>(List.of(top));
    int left = MAX_BUDGETS - 1;
    for (Outline each = next.poll(); each != null; each = next.poll()) {
      left -= each.findChildren(left);
      next.addAll(each.children);
    }
    return top.view(peakResidentBytes);
  }

  /**
   * Which budgets are shown: found level by level, so that deep ones do not take the wide ones'
   * place.
   */
  private static final class Outline {
    final Budget budget;
    final long chargedBytes;
    final int depth;
    final List<Outline> children = new ArrayList<>();
    int others;
    long otherBytes;

    Outline(Budget budget, long chargedBytes, int depth) {
      this.budget = budget;
      this.chargedBytes = chargedBytes;
      this.depth = depth;
    }

    int findChildren(int most) {
      LargestChildren largest =
          budget.largestChildren(depth == MAX_DEPTH ? 0 : Math.min(most, MAX_CHILDREN));
      for (LargestChildren.Holding child : largest.top()) {
        children.add(new Outline(child.budget(), child.chargedBytes(), depth + 1));
      }
      others = largest.others();
      otherBytes = largest.otherBytes();
      return children.size();
    }

    BudgetView view(long peakBytes) {
      return new BudgetView(
          budget.number(),
          budget.name(),
          budget.limitBytes(),
          chargedBytes,
          peakBytes,
          budget.heapBytes(),
          budget.heldHeapBytes(),
          budget.allocatedBytes(),
          budget.pressure(),
          children.stream().map(child -> child.view(child.budget.peakChargedBytes())).toList(),
          others,
          otherBytes);
    }
  }

  /** What is charged to this budget itself, and to none below it. */
  public long ownBytes() {
    long below = children.stream().mapToLong(BudgetView::chargedBytes).sum();
    return Math.max(0, chargedBytes - below - otherBytes);
  }
}
