package dev.weir.memory.budget;

import org.jspecify.annotations.Nullable;

/**
 * A walk through the children of one budget, of which there may be one for every connection: a few
 * at a time under the tree's lock, so that nobody waits for all. A child that is there from the
 * first to the last step is met once; of those that come and go meanwhile, some are.
 */
/*
 * The tree knows its walks: where the next child of one leaves its list, the walk moves on to the one behind it.
 */
final class ChildWalk {
  /**
   * So many are read while the lock is held: half a microsecond, so that waiters only spin; longer
   * for children of which heaps hold credit, for each by what it takes to go through all credits.
   */
  static final int STEP = 16;

  /**
   * How long the lock is left to others after each step: 1 us, in which one that spins comes by.
   * Who takes it again at once, on a processor that has it at hand, starves them.
   */
  private static final long PAUSE_NANOS = 1_000;

  private final Budget parent;
  private final Budget[] budgets = new Budget[STEP];
  private final long[] chargedBytes = new long[STEP];

  /** Where it goes on. Under the tree's lock, as the links are. */
  private @Nullable Budget next;

  private @Nullable ChildWalk nextWalk;
  private @Nullable ChildWalk previousWalk;

  /** Is told of each child, without the lock. */
  @FunctionalInterface
  interface Visitor {
    void visit(Budget child, long chargedBytes);
  }

  private ChildWalk(Budget parent) {
    this.parent = parent;
  }

  /** Visits the children of a budget, in the order in which they came. */
  static void through(Budget parent, Visitor visitor) {
    ChildWalk walk = new ChildWalk(parent);
    walk.begin();
    try {
      for (int found = walk.step(); found > 0; found = walk.step()) {
        long steppedNanos = System.nanoTime();
        for (int i = 0; i < found; i++) {
          visitor.visit(walk.budgets[i], walk.chargedBytes[i]);
        }
        if (found == STEP) {
          pauseSince(steppedNanos);
        }
      }
    } finally {
      walk.end();
    }
  }

  /** Leaves the lock to others for a moment, after a step. */
  static void pause() {
    pauseSince(System.nanoTime());
  }

  private static void pauseSince(long steppedNanos) {
    while (System.nanoTime() - steppedNanos < PAUSE_NANOS) {
      Thread.onSpinWait();
    }
  }

  private void begin() {
    BudgetTree tree = parent.tree;
    tree.lock.lock();
    try {
      next = parent.firstChild();
      ChildWalk other = tree.firstWalk;
      nextWalk = other;
      if (other != null) {
        other.previousWalk = this;
      }
      tree.firstWalk = this;
    } finally {
      tree.lock.unlock();
    }
  }

  /** Reads the next few; says how many. */
  private int step() {
    BudgetTree tree = parent.tree;
    tree.lock.lock();
    try {
      int found = 0;
      Budget child = next;
      for (; child != null && found < STEP; child = child.nextSibling()) {
        budgets[found] = child;
        chargedBytes[found] = child.chargedBytes - tree.unspentBytes(child);
        found++;
      }
      next = child;
      return found;
    } finally {
      tree.lock.unlock();
    }
  }

  private void end() {
    BudgetTree tree = parent.tree;
    tree.lock.lock();
    try {
      if (previousWalk == null) {
        tree.firstWalk = nextWalk;
      } else {
        previousWalk.nextWalk = nextWalk;
      }
      if (nextWalk != null) {
        nextWalk.previousWalk = previousWalk;
      }
    } finally {
      tree.lock.unlock();
    }
  }

  /** A child is about to leave its list. Under the lock. */
  static void leaving(@Nullable ChildWalk first, BudgetNode child) {
    for (ChildWalk walk = first; walk != null; walk = walk.nextWalk) {
      if (walk.next == child) {
        walk.next = child.nextSibling();
      }
    }
  }
}
