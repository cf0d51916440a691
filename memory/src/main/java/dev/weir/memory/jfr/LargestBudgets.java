package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Some budgets of a tree, those that hold most: there may be one for every channel. */
final class LargestBudgets {
  private static final int MAX_BUDGETS = 256;
  private static final int MAX_CHILDREN = 32;

  private LargestBudgets() {}

  /** A budget, and the 32 largest children of each, level by level, 256 in all. */
  static List<Budget> below(Budget root) {
    List<Budget> found = new ArrayList<>();
    Queue<Budget> next = new ArrayDeque<>(List.of(root));
    while (!next.isEmpty() && found.size() < MAX_BUDGETS) {
      Budget budget = next.remove();
      found.add(budget);
      budget.largestChildren(MAX_CHILDREN).top().forEach(child -> next.add(child.budget()));
    }
    return found;
  }
}
