package dev.weir.memory.budget;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The children of a budget that hold most, and what all others hold: there may be a child for every
 * connection. Read in one pass that stops nobody, so the figures are of nearly the same moment.
 *
 * @param top most first
 * @param others how many more there are
 * @param otherBytes what is charged to those
 */
public record LargestChildren(List<Holding> top, int others, long otherBytes) {
  private static final Comparator<Holding> LEAST_FIRST =
      (a, b) -> Long.compare(a.chargedBytes, b.chargedBytes);

  /**
   * What one child held.
   *
   * @param budget the child
   * @param chargedBytes as {@link Budget#chargedBytes}
   */
  public record Holding(Budget budget, long chargedBytes) {}

  /** Copies the list. */
  public LargestChildren {
    top = List.copyOf(top);
  }

  static LargestChildren of(Budget parent, int count) {
    Pass pass = new Pass(count);
    ChildWalk.through(parent, pass);
    return pass.result();
  }

  private static final class Pass implements ChildWalk.Visitor {
    private final int count;
    private final PriorityQueue<Holding> largest = new PriorityQueue<>(LEAST_FIRST);
    private int children;
    private long sumBytes;

    Pass(int count) {
      this.count = count;
    }

    @Override
    public void visit(Budget child, long chargedBytes) {
      children++;
      sumBytes += chargedBytes;
      if (largest.size() < count) {
        largest.add(new Holding(child, chargedBytes));
        return;
      }
      Holding least = largest.peek();
      if (least != null && chargedBytes > least.chargedBytes) {
        largest.poll();
        largest.add(new Holding(child, chargedBytes));
      }
    }

    LargestChildren result() {
      List<Holding> top = new ArrayList<>(largest);
      top.sort((a, b) -> LEAST_FIRST.compare(b, a));
      long topBytes = 0;
      for (Holding holding : top) {
        topBytes += holding.chargedBytes;
      }
      return new LargestChildren(top, children - top.size(), sumBytes - topBytes);
    }
  }
}
