package dev.weir.memory.budget;

import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The children of one budget that hold most, in words, for its refusals. Thread-safe.
 *
 * <p>Finding them takes time for each child, and there may be one for every connection: whoever
 * keeps a budget full could have an event loop do that for each refusal. So the words are kept for
 * a hundred times as long as they took to find, and one thread at a time finds them: at most a
 * hundredth of one thread's time is spent on it, however many are refused.
 */
/*
 * Words, not budgets: what is kept here keeps no closed budget alive.
 */
final class LargestNames {
  private static final int NAMED = 3;

  /** For how many times the time that it took to find them the words are kept. */
  static final int KEPT_TIMES = 100;

  private final Budget parent;
  private final LongSupplier nanoTime;

  // Under the tree's lock.
  private String words = "";
  private boolean isFound;
  private boolean isUnderWay;
  private long staleAtNanos;

  LargestNames(Budget parent, LongSupplier nanoTime) {
    this.parent = parent;
    this.nanoTime = nanoTime;
  }

  /**
   * Names and charged bytes, most first, of now or of shortly before; empty where there are no
   * children, or where another thread is about to find them for the first time.
   */
  String words() {
    long begunNanos = nanoTime.getAsLong();
    BudgetTree tree = parent.tree;
    tree.lock.lock();
    try {
      if (isUnderWay || (isFound && begunNanos - staleAtNanos < 0)) {
        return words;
      }
      isUnderWay = true;
    } finally {
      tree.lock.unlock();
    }
    String found = null;
    try {
      found = find();
      return found;
    } finally {
      long endedNanos = nanoTime.getAsLong();
      tree.lock.lock();
      isUnderWay = false;
      if (found != null) {
        words = found;
        isFound = true;
        staleAtNanos = endedNanos + KEPT_TIMES * (endedNanos - begunNanos);
      }
      tree.lock.unlock();
    }
  }

  private String find() {
    return parent.largestChildren(NAMED).top().stream()
        .map(child -> "%s %,d".formatted(child.budget().name(), child.chargedBytes()))
        .collect(Collectors.joining(", "));
  }
}
