package dev.weir.memory.budget;

import dev.weir.memory.callback.ListenerCalls;
import dev.weir.memory.pressure.Pressure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of a tree that somebody listens to. A charge that leaves the band of its level only
 * notes that, and the purger is told once the lock is free; {@link #tell} finds the levels and
 * posts them.
 */
/*
 * Charges contain what heaps hold as credit, and credit is spent without the lock. So a charge may leave its band for
 * nothing, and a level may change without a charge: the level itself is found without what is not spent, and all
 * budgets are looked at now and then.
 */
final class TreePressure {
  private final BudgetTree tree;
  private @Nullable PressureWatch firstWatched;

  /** Where the one thread that goes through the watched ones goes on. */
  private @Nullable PressureWatch nextWatched;

  private @Nullable PressureWatch firstMoved;

  /** Those of whom there was news when the one thread that tells began, and it has not come to. */
  private @Nullable PressureWatch firstTaken;

  /** Whether the ledger has to be told. Set under the lock. */
  private volatile boolean news;

  private volatile boolean hasListeners;

  TreePressure(BudgetTree tree) {
    this.tree = tree;
  }

  boolean hasListeners() {
    return hasListeners;
  }

  /** The level of a budget may have changed. Under the lock; allocates nothing. */
  void moved(PressureWatch watch) {
    if (!watch.isMoved) {
      link(watch);
      news = true;
    }
  }

  private void link(PressureWatch watch) {
    watch.isMoved = true;
    watch.nextMoved = firstMoved;
    firstMoved = watch;
  }

  /** Not under the lock. */
  void tellOfNews() {
    if (news) {
      // Whoever sets it again tells again.
      news = false;
      tree.ledger.pressureMoved();
    }
  }

  void add(Budget budget, ListenerCalls listener) {
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch == null) {
        watch = new PressureWatch(budget);
      }
      watch.add(listener);
      if (budget.watch == null) {
        addWatched(watch);
        budget.watch = watch;
      }
      hasListeners = true;
      moved(watch);
    } finally {
      tree.lock.unlock();
    }
    tellOfNews();
  }

  void remove(Budget budget, ListenerCalls listener) {
    boolean forgotten = false;
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch != null && watch.remove(listener)) {
        forget(budget);
        forgotten = true;
      }
    } finally {
      tree.lock.unlock();
    }
    if (forgotten && !budget.isTracked()) {
      tree.ledger.watchUsed(0, Long.MAX_VALUE);
    }
  }

  private void forget(Budget budget) {
    PressureWatch watch = budget.watch;
    budget.watch = null;
    if (watch != null) {
      removeWatched(watch);
    }
    if (firstWatched == null) {
      hasListeners = false;
      // Nobody comes for those of whom there was news, and they would keep their budgets alive.
      firstMoved = null;
      firstTaken = null;
    }
  }

  private void addWatched(PressureWatch watch) {
    PressureWatch first = firstWatched;
    watch.nextWatched = first;
    if (first != null) {
      first.previousWatched = watch;
    }
    firstWatched = watch;
  }

  private void removeWatched(PressureWatch watch) {
    PressureWatch previous = watch.previousWatched;
    PressureWatch next = watch.nextWatched;
    if (nextWatched == watch) {
      nextWatched = next;
    }
    if (previous == null) {
      firstWatched = next;
    } else {
      previous.nextWatched = next;
    }
    if (next != null) {
      next.previousWatched = previous;
    }
    watch.previousWatched = null;
    watch.nextWatched = null;
  }

  /**
   * Posts the levels of this moment to those who listen. One thread at a time, so that each
   * listener hears them in order.
   *
   * @param all also of budgets of which nothing is known to have changed; the root's pages do not
   *     tell the tree, so it is always looked at
   */
  void tell(Budget root, boolean all) {
    if (all) {
      linkAll();
    }
    // What one that failed has left, if any; then what has moved until now, and no more.
    tellTaken();
    take(root);
    tellTaken();
  }

  /** Links all that are watched, a few at a time under the lock, as {@link ChildWalk} does. */
  private void linkAll() {
    tree.lock.lock();
    nextWatched = firstWatched;
    tree.lock.unlock();
    while (linkStep()) {
      ChildWalk.pause();
    }
  }

  /** Links the next few; false if those were the last. */
  private boolean linkStep() {
    tree.lock.lock();
    try {
      PressureWatch watch = nextWatched;
      for (int i = 0; i < ChildWalk.STEP && watch != null; i++) {
        if (!watch.isMoved) {
          link(watch);
        }
        watch = watch.nextWatched;
      }
      nextWatched = watch;
      return watch != null;
    } finally {
      tree.lock.unlock();
    }
  }

  private void take(Budget root) {
    tree.lock.lock();
    try {
      PressureWatch watch = root.watch;
      if (watch != null && !watch.isMoved) {
        link(watch);
      }
      firstTaken = firstMoved;
      firstMoved = null;
    } finally {
      tree.lock.unlock();
    }
  }

  private void tellTaken() {
    for (PressureWatch watch = nextTaken(); watch != null; watch = nextTaken()) {
      tell(watch.budget);
    }
  }

  /** From here on it may move again: its level is found after this. */
  private @Nullable PressureWatch nextTaken() {
    tree.lock.lock();
    try {
      PressureWatch watch = firstTaken;
      if (watch != null) {
        firstTaken = watch.nextMoved;
        watch.nextMoved = null;
        watch.isMoved = false;
      }
      return watch;
    } finally {
      tree.lock.unlock();
    }
  }

  private void tell(Budget budget) {
    long usedByRoot = budget.isTracked() ? 0 : tree.ledger.usedBytes();
    long limitOfRoot = budget.isTracked() ? 0 : tree.ledger.limitBytes();
    Pressure level;
    List<ListenerCalls> listeners;
    long fallsBelow;
    long risesAt;
    tree.lock.lock();
    try {
      PressureWatch watch = budget.watch;
      if (watch == null) {
        return;
      }
      level = look(budget, usedByRoot, limitOfRoot);
      listeners = watch.listeners();
      fallsBelow = watch.fallsBelow();
      risesAt = watch.risesAt();
      if (budget.closed && budget.chargedBytes == 0) {
        forget(budget);
      }
    } finally {
      tree.lock.unlock();
    }
    if (!budget.isTracked()) {
      tree.ledger.watchUsed(fallsBelow, risesAt);
    }
    for (ListenerCalls listener : listeners) {
      listener.post(level);
    }
  }

  /** The level of a budget at this moment. */
  Pressure levelOf(Budget budget) {
    long usedByRoot = budget.isTracked() ? 0 : tree.ledger.usedBytes();
    long limitOfRoot = budget.isTracked() ? 0 : tree.ledger.limitBytes();
    Pressure level;
    tree.lock.lock();
    try {
      Pressure before = budget.pressure;
      level = look(budget, usedByRoot, limitOfRoot);
      if (level != before) {
        mayHaveMoved(budget);
      }
    } finally {
      tree.lock.unlock();
    }
    tellOfNews();
    return level;
  }

  private Pressure look(Budget budget, long usedByRoot, long limitOfRoot) {
    if (!budget.isTracked()) {
      return budget.lookAtPressure(usedByRoot, limitOfRoot);
    }
    if (budget.closed && budget.chargedBytes == 0) {
      budget.pressure = Pressure.NONE;
      return Pressure.NONE;
    }
    return budget.lookAtPressure(
        budget.chargedBytes - tree.unspentBytes(budget), budget.limitBytes);
  }

  /** Whatever the level depends on has changed. Under the lock. */
  void mayHaveMoved(Budget budget) {
    PressureWatch watch = budget.watch;
    if (watch != null) {
      moved(watch);
    }
  }
}
